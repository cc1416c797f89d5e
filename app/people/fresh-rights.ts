import type { Right } from "./rights.ts";

/** These rights have lasting effects, so they need a recent proof of the member's identity. */
const rightsWithProof: readonly Right[] = ["keys.create", "keys.change", "people.change", "sign-in.change"];

/** How long a proof counts for them. */
export const proofMs = 30 * 60_000;

export function needsProof(right: Right): boolean {
  return rightsWithProof.includes(right);
}
