import { createHash, randomBytes } from "node:crypto";
import { done, ok, refusedFor, type Reply } from "../../app/contract/donor-calls.ts";
import { confirmationNumber, confirmedForMs, deviceRequestHash } from "../../app/enrollment.ts";
import { enrollmentCodeOf } from "../../app/format/secrets.ts";
import { isLoopback } from "../../app/join-command.ts";
import { api } from "../../convex/_generated/api.js";
import { errorName, type Log } from "../log.ts";
import { isUnencrypted, type Server } from "./invited-to.ts";
import { reachServer } from "./reach-server.ts";

/** A sign-in at a server: a member confirms this computer on a page of the console. */
export type SignIn = {
  /** The page's address. It has the hash of the code, and not the code. */
  readonly address: string;
  /** The number that the page shows, too. */
  readonly number: string;
  /** Admits this computer once it is confirmed. Nobody else learns it, and it is not stored. */
  readonly code: string;
  /** Resolves when a member has confirmed this computer, or to the reason why nobody can anymore. */
  readonly confirmed: Promise<Reply>;
  readonly close: () => void;
};

type Options = {
  /** The name that this computer will have. */
  readonly device: string;
  /** Whether the person allows a connection without encryption to another computer. */
  readonly insecureHttp: boolean;
};

/**
 * Begins a sign-in: asks the server for the page and waits there for the confirmation. Never rejects: a failure is a refusal with
 * words for the person.
 */
export async function beginSignIn(
  server: Server,
  { device, insecureHttp }: Options,
  log: Log,
): Promise<Reply<SignIn>> {
  const code = enrollmentCodeOf(randomBytes(32));
  const codeHash = createHash("sha256").update(code).digest("hex");
  const { client, failed, close: disconnect } = reachServer(server, log);
  const address = Promise.withResolvers<Reply<string>>();
  const confirmed = Promise.withResolvers<Reply>();
  const timer = setTimeout(() => confirmed.resolve(refusedFor("nobody-confirmed")), confirmedForMs);
  client.onUpdate(
    api.devices.confirmation,
    { codeHash },
    (state) => {
      const page = consolePage(state.console, server.url);
      const mayOpen = page !== null && (insecureHttp || !isUnencrypted({ url: page }));
      address.resolve(
        mayOpen
          ? ok(page + deviceRequestHash({ codeHash, device }))
          : refusedFor("no-confirmation-page", new URL(server.url).host),
      );
      if (state.isConfirmed) confirmed.resolve(done);
    },
    (error) => {
      log("warn", "first-run.no-sign-in", { error: errorName(error) });
      address.resolve(refusedFor("no-confirmation-page", new URL(server.url).host));
      confirmed.resolve(refusedFor("sign-in-ended-by-server"));
    },
  );
  const close = (): void => {
    clearTimeout(timer);
    confirmed.resolve(refusedFor("sign-in-canceled"));
    disconnect();
  };
  const reply = await Promise.race([address.promise, failed]);
  if (reply.kind === "ok") {
    const number = confirmationNumber(codeHash);
    return ok({ address: reply.value, number, code, confirmed: confirmed.promise, close });
  }
  close();
  return reply;
}

/**
 * The console's address for this computer. Null if it is none that a browser may open. A loopback address means the server's own
 * machine, which this computer reaches by another name, and with TLS if it reaches the server so.
 */
export function consolePage(address: string, server: string): string | null {
  const page = address.length > 500 ? null : URL.parse(address);
  if (page === null || !/^https?:$/.test(page.protocol) || page.username !== "" || page.password !== "") {
    return null;
  }
  if (isLoopback(page.origin)) {
    if (!isLoopback(server)) page.hostname = new URL(server).hostname;
    if (server.startsWith("https:")) page.protocol = "https:";
  }
  page.hash = "";
  return page.href;
}
