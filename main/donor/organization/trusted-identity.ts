import { decideTrust, type GivenTrust, type Trust } from "../../connection/trust.ts";
import type { Log } from "../../log.ts";
import { StartRefusal } from "../../store/start-refusal.ts";
import { type IdentityStore, openIdentity, SealedKeyRefusal } from "./identity.ts";
import type { KeyVault } from "./key-vault.ts";

type TrustedIdentity = { readonly identity: IdentityStore; readonly trust: Trust };

/**
 * Opens the device's identity for the backend that it may trust. A device that joins again, or that is invited to a
 * backend with another key, gets a new identity, so that the backend never sees the keys of the former one. The new one
 * replaces the former when it has enrolled, and the former file is kept: a wrong code costs nothing. Throws a
 * StartRefusal if the backend may not be trusted.
 */
export async function openTrustedIdentity(
  path: string,
  given: GivenTrust,
  options: { readonly vault: KeyVault | null; readonly log: Log },
): Promise<TrustedIdentity> {
  const former = await openIdentity(path, options).catch((error: unknown) => {
    // A device that joins again needs no key of the former one.
    if (error instanceof SealedKeyRefusal && given.rejoin) return error;
    throw error;
  });
  const enrollment = former instanceof SealedKeyRefusal ? former.enrollment : former.current().enrollment;
  const decision = decideTrust(given, enrollment?.trust ?? null);
  if (decision.kind === "refused") throw new StartRefusal(decision.sentence);
  const { trust } = decision;
  const isAnew = decision.kind === "join-anew" || (given.rejoin && enrollment !== null);
  if (!isAnew && !(former instanceof SealedKeyRefusal)) return { identity: former, trust };
  return { identity: await openIdentity(`${path}.joining`, { ...options, replaces: path }), trust };
}
