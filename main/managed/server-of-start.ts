import type { ManagedSettings } from "../../app/managed/managed-settings.ts";
import type { GivenTrust } from "../connection/trust.ts";
import type { Arguments } from "../headless/arguments.ts";
import { StartRefusal } from "../store/start-refusal.ts";

type Given = Pick<Arguments, "backend" | "pin" | "insecureHttp" | "code" | "rejoin">;

/** The server of a start, how to trust it, and the enrollment code for a computer that belongs to no organization. */
export type ServerOfStart = Omit<GivenTrust, "hasCode"> & { readonly code: string | undefined };

/**
 * Chooses the server: the one that the start names, that of the computer's organization, or the managed one. Null if nobody
 * has named one. Throws a StartRefusal if the start names another server than the managed settings.
 */
export function serverOfStart(
  given: Given,
  enrolled: string | null,
  managed: ManagedSettings,
): ServerOfStart | null {
  const url = given.backend ?? enrolled ?? managed.server;
  if (url === undefined) return null;
  if (given.backend !== undefined && !allowsServer(managed, url)) {
    throw new StartRefusal(`${otherServerWords(managed.server)} This start names ${url}.`);
  }
  const isManaged = url === managed.server;
  return {
    url,
    pin: given.pin ?? (isManaged ? (managed.pin ?? null) : null),
    insecureHttp: given.insecureHttp || (isManaged && managed.insecureHttp === true),
    rejoin: given.rejoin,
    code: given.code ?? (isManaged ? managed.code : undefined),
  };
}

/** Whether this computer may join an organization there. */
export function allowsServer({ server }: ManagedSettings, url: string): boolean {
  return server === undefined || server === url;
}

/** @param server the one server that this computer may join. */
export function otherServerWords(server: string | undefined): string {
  return `This computer’s administrator allows no other server than ${server ?? "its own"}.`;
}
