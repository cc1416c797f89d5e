import { startSentence } from "../../app/contract/sentences/start-sentences.ts";
import { isLoopback } from "../../app/join-command.ts";
import type { ManagedSettings } from "../../app/managed/managed-settings.ts";
import type { GivenTrust } from "../connection/trust.ts";
import type { Arguments } from "../headless/arguments.ts";
import { StartRefusal } from "../store/start-refusal.ts";

type Given = Pick<Arguments, "backend" | "pin" | "insecureHttp" | "code" | "rejoin">;

/** The server of a start, how to trust it, and the enrollment code for a computer that belongs to no organization. */
export type ServerOfStart = Omit<GivenTrust, "hasCode"> & {
  readonly code: string | undefined;
  /** The computer belongs to no organization there, so it needs a code. */
  readonly joins: boolean;
};

/**
 * Chooses the server: the managed one, else the one that the start names, else that of the computer's organization. Null if
 * nobody has named one. A computer that belongs to an organization elsewhere joins at the managed server as a new device. Throws
 * a StartRefusal if the start names another server or another pin than the managed settings.
 * @param enrolled the server of the organization that the computer belongs to.
 */
export function serverOfStart(
  given: Given,
  enrolled: string | null,
  managed: ManagedSettings,
): ServerOfStart | null {
  const url = given.backend ?? managed.server ?? enrolled;
  if (url === null) return null;
  if (!allowsServer(managed, url)) {
    throw new StartRefusal(startSentence("other-server", managed.server ?? "", url));
  }
  const isManaged = url === managed.server;
  const moves = isManaged && enrolled !== null && enrolled !== url;
  return {
    url,
    pin: isManaged ? pinAt(managed, given.pin ?? null) : (given.pin ?? null),
    insecureHttp: given.insecureHttp || (isManaged && managed.insecureHttp === true),
    rejoin: given.rejoin || moves,
    code: given.code ?? (isManaged ? managed.code : undefined),
    joins: moves || enrolled === null,
  };
}

/** Whether this computer may join an organization there. A server on the same computer, as `npm start` has, is its user's own. */
export function allowsServer({ server }: ManagedSettings, url: string): boolean {
  return server === undefined || server === url || isLoopback(url);
}

/** The pin of the managed server. Throws a StartRefusal if another one was given. */
export function pinAt({ pin }: ManagedSettings, given: string | null): string | null {
  if (pin !== undefined && given !== null && pin !== given) {
    throw new StartRefusal(startSentence("other-pin"));
  }
  return pin ?? given;
}

/**
 * The settings for a computer whose organization is at `url`. With a code it cannot leave the managed server, unless the
 * settings say so: it would join again at its next start.
 */
export function managedAt(managed: ManagedSettings, url: string): ManagedSettings {
  const { rules, code, server } = managed;
  if (code === undefined || url !== server || rules.locked.includes("allowLeave")) return managed;
  return {
    ...managed,
    rules: { values: { ...rules.values, allowLeave: false }, locked: [...rules.locked, "allowLeave"] },
  };
}
