import type { Facts } from "../../../app/facts/facts.ts";
import type { Enrolment } from "./identity.ts";
import type { Me } from "./organization.ts";

/** What the backend last said of this device; until it says anything, an enrolment that is remembered counts. */
export function membershipOf(
  enrolment: Enrolment | null,
  { me, unknownHere }: { readonly me: Pick<Me, "status"> | null; readonly unknownHere: boolean },
): Facts["membership"] {
  if (enrolment === null || unknownHere) return "none";
  return me?.status ?? "active";
}
