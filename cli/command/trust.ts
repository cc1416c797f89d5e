import { sayStartSentence } from "../../app/contract/sentences/start-sentences.ts";
import { pin } from "../../main/connection/pin.ts";
import { refusalOfUrl, type Trust } from "../../main/connection/trust.ts";
import { CommandError, exitUsage } from "./command.ts";

export const trustOptions = {
  pin: { type: "string" },
  "insecure-http": { type: "boolean" },
} as const;

export const trustUsage = `  --pin PIN              accept only a deployment with this key, sha256:… (default: GLEANER_PIN)
  --insecure-http        allow plain HTTP to another computer (default: GLEANER_INSECURE_HTTP=1)`;

type TrustFlags = {
  readonly pin?: string | undefined;
  readonly "insecure-http"?: boolean | undefined;
};

/** How a command may trust a server. Throws a usage error for a pin that is none. */
export function readTrust(flags: TrustFlags, env: NodeJS.ProcessEnv): Trust {
  const given = flags.pin ?? env["GLEANER_PIN"];
  const parsed = pin.optional().safeParse(given);
  if (!parsed.success) {
    throw new CommandError(`--pin ${parsed.error.issues[0]?.message ?? "is wrong"}.`, exitUsage);
  }
  const insecureHttp = flags["insecure-http"] ?? env["GLEANER_INSECURE_HTTP"] === "1";
  return { pin: parsed.data ?? null, insecureHttp };
}

/** Reads the trust for a URL that the person named. Throws a usage error if keys may not be sent there. */
export function readTrustFor(url: string, flags: TrustFlags, env: NodeJS.ProcessEnv): Trust {
  const parsed = URL.parse(url);
  if (parsed === null || !/^https?:$/.test(parsed.protocol)) {
    throw new CommandError(`"${url}" is not an http or https URL.`, exitUsage);
  }
  const trust = readTrust(flags, env);
  const why = refusalOfUrl(url, trust);
  if (why !== null) throw new CommandError(sayStartSentence(why), exitUsage);
  return trust;
}
