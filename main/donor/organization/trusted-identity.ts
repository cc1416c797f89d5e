import { rename } from "node:fs/promises";
import { decideTrust, type GivenTrust, type Trust } from "../../connection/trust.ts";
import type { Log } from "../../log.ts";
import { StartRefusal } from "../../store/start-refusal.ts";
import { type IdentityStore, openIdentity } from "./identity.ts";

type TrustedIdentity = { readonly identity: IdentityStore; readonly trust: Trust };

/**
 * Opens the device's identity for the backend that it may trust. A device that is invited to a backend with another
 * key gets a new identity, so that the backend never sees the keys of the other one. The old file is kept. Throws a
 * StartRefusal if the backend may not be trusted.
 */
export async function openTrustedIdentity(
  path: string,
  given: GivenTrust,
  log: Log,
): Promise<TrustedIdentity> {
  const identity = await openIdentity(path, log);
  const decision = decideTrust(given, identity.current().enrollment?.trust ?? null);
  if (decision.kind === "refused") throw new StartRefusal(decision.message);
  if (decision.kind === "trust") return { identity, trust: decision.trust };
  const movedTo = `${path}.left-${new Date().toISOString().replaceAll(":", "-")}`;
  await rename(path, movedTo);
  log("info", "identity.left", { movedTo });
  return { identity: await openIdentity(path, log), trust: decision.trust };
}
