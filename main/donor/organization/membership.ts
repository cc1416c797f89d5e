import type { Facts } from "../../../app/facts/facts.ts";
import type { Identity } from "./identity.ts";
import type { Me } from "./organization.ts";

/** The membership that the backend last reported. Until it reports one, a stored enrollment counts. */
export function membershipOf(
  enrollment: Identity["enrollment"],
  { me, unknownHere }: { readonly me: Pick<Me, "status"> | null; readonly unknownHere: boolean },
): Facts["membership"] {
  if (enrollment === null || unknownHere) return "none";
  return me?.status ?? "active";
}
