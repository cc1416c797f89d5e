import { rm } from "node:fs/promises";
import { join } from "node:path";
import * as z from "zod";
import { desktopFolder } from "../../../launch/core/paths.ts";
import { pin } from "../../../main/connection/pin.ts";
import { loadJson, saveJson } from "../../../main/store/json-file.ts";
import { StartRefusal } from "../../../main/store/start-refusal.ts";
import { CommandError, exitUsage } from "../../command/command.ts";
import { readTrustFor } from "../../command/trust.ts";

const login = z.object({
  version: z.literal(1),
  /** With /v1, without a slash at its end. */
  url: z.string(),
  apiKey: z.string(),
  /** The server's key. Null if the system's authorities vouch for it, or on loopback. */
  pin: pin.nullable(),
});

/** A server and the key for it. */
export type Login = Omit<z.output<typeof login>, "version"> & {
  /** Whether Gleaner's environment variables name it. Then a stored login does not replace it. */
  readonly isOfVariables?: boolean;
};

const newestVersion = 1;

/** The file that `gleaner login` writes, in the folder of the desktop program. Only its owner can read it. */
export function loginFile(env: NodeJS.ProcessEnv): string {
  return join(desktopFolder(env), "login.json");
}

/** Stores a login in place of the one before. */
export async function saveLogin(env: NodeJS.ProcessEnv, { url, apiKey, pin }: Login): Promise<void> {
  await saveJson(loginFile(env), { version: newestVersion, url, apiKey, pin });
}

/** Returns whether there was a login. */
export async function removeLogin(env: NodeJS.ProcessEnv): Promise<boolean> {
  const found = await storedLogin(env);
  await rm(loginFile(env), { force: true });
  return found !== null;
}

/**
 * The login of the commands: GLEANER_BASE_URL and GLEANER_API_KEY, else the stored one, else OPENAI_BASE_URL and OPENAI_API_KEY.
 * A key never goes to an address from another source. Rejects with CommandError if no source has a login.
 */
export async function findLogin(env: NodeJS.ProcessEnv): Promise<Login> {
  const own = loginOf(env, "GLEANER");
  if (own !== null) return { ...own, isOfVariables: true };
  const found = (await storedLogin(env)) ?? loginOf(env, "OPENAI");
  if (found !== null) return found;
  throw new CommandError(
    "You are not logged in. Run `gleaner login`, or set GLEANER_BASE_URL and GLEANER_API_KEY.",
    exitUsage,
  );
}

/**
 * The address and the key that the environment gives for a login, so that nobody has to type them. A key never goes to an address
 * from another source.
 * @param url the address on the command line.
 */
export function givenLogin(
  env: NodeJS.ProcessEnv,
  url: string | undefined,
): { readonly url: string | undefined; readonly apiKey: string | undefined } {
  const own = url ?? env["GLEANER_BASE_URL"];
  const openAi = env["OPENAI_BASE_URL"];
  if (own === undefined && openAi !== undefined) return { url: openAi, apiKey: env["OPENAI_API_KEY"] };
  return { url: own, apiKey: env["GLEANER_API_KEY"] };
}

/** The login of two environment variables. Null without both. Throws a CommandError if only one of Gleaner's is set. */
function loginOf(env: NodeJS.ProcessEnv, prefix: "GLEANER" | "OPENAI"): Login | null {
  const given = env[`${prefix}_BASE_URL`];
  const apiKey = env[`${prefix}_API_KEY`];
  if (prefix === "GLEANER" && (given === undefined) !== (apiKey === undefined)) {
    throw new CommandError("Set both GLEANER_BASE_URL and GLEANER_API_KEY, or neither.", exitUsage);
  }
  if (given === undefined || apiKey === undefined) return null;
  const url = baseUrl(given);
  return { url, apiKey: apiKey.trim(), pin: readTrustFor(url, {}, env).pin };
}

async function storedLogin(env: NodeJS.ProcessEnv): Promise<Login | null> {
  try {
    const loaded = await loadJson(loginFile(env), login, newestVersion);
    return loaded.kind === "loaded" ? loaded.value : null;
  } catch (error) {
    throw error instanceof StartRefusal ? new CommandError(error.message) : error;
  }
}

/** The address of the API: `/v1` follows a server's address without a path. Throws a CommandError if it is no address. */
export function baseUrl(given: string): string {
  const parsed = URL.parse(given.trim());
  if (parsed === null || !/^https?:$/.test(parsed.protocol)) {
    throw new CommandError(
      `"${given}" is not an http or https URL, such as http://127.0.0.1:3211.`,
      exitUsage,
    );
  }
  const path = parsed.pathname.replace(/\/+$/, "");
  return `${parsed.origin}${path === "" ? "/v1" : path}`;
}
