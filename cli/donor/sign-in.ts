import { hostname } from "node:os";
import { sayStartSentence } from "../../app/contract/sentences/start-sentences.ts";
import { visibleText } from "../../app/format/visible.ts";
import type { ManagedSettings } from "../../app/managed/managed-settings.ts";
import { refusalOfUrl } from "../../main/connection/trust.ts";
import { lookUp } from "../../main/first-run/look-up.ts";
import { beginSignIn } from "../../main/first-run/sign-in.ts";
import { serverOfStart } from "../../main/managed/server-of-start.ts";
import { CommandError, exitUsage } from "../command/command.ts";

type Options = {
  /** Null: the server of the managed settings. */
  readonly backend: string | null;
  readonly pin: string | null;
  readonly insecureHttp: boolean;
  readonly rejoin: boolean;
  readonly name: string | undefined;
};

const silent = (): void => undefined;

/**
 * Lets a person confirm this computer on a page of the console, whose address it prints with `say`. Resolves to the code that
 * admits the computer. Throws a CommandError if nobody confirms it.
 */
export async function signInForCode(
  { backend, name = hostname(), ...given }: Options,
  managed: ManagedSettings,
  { say, stopped }: { readonly say: (line: string) => void; readonly stopped: Promise<unknown> },
): Promise<string> {
  const start = {
    ...given,
    pin: given.pin ?? undefined,
    backend: backend === null ? undefined : new URL(backend).origin,
    code: undefined,
  };
  const server = serverOfStart(start, null, managed);
  if (server === null) throw new CommandError("--backend is missing.", exitUsage);
  const why = refusalOfUrl(server.url, server);
  if (why !== null) throw new CommandError(sayStartSentence(why), exitUsage);
  const begun = await beginSignIn(server, { device: name, insecureHttp: server.insecureHttp }, silent);
  if (begun.kind === "refused") throw new CommandError(begun.message);
  const { address, number, code, confirmed, close } = begun.value;
  say(
    `Open this page in a browser, here or on another computer, and sign in:\n\n  ${address}\n\n` +
      `Confirm this computer there if the page shows the number ${number}. Ctrl-C cancels.`,
  );
  void stopped.then(close);
  const reply = await confirmed;
  close();
  if (reply.kind === "refused") throw new CommandError(reply.message);
  const found = await lookUp({ ...server, code }, silent);
  if (found.kind === "refused") throw new CommandError(found.message);
  const { organization, owner, keyFingerprint } = found.value;
  const belongs = owner === null ? "" : ` It belongs to ${owner}.`;
  const key = keyFingerprint === null ? "" : ` The organization’s key is ${keyFingerprint}.`;
  say(visibleText(`Confirmed. This computer joins ${organization}.${belongs}${key}`));
  return code;
}
