import type { Right } from "./rights.ts";

/** What may be done with these rights lasts, so the member must have proved who they are a short time ago. */
const rightsWithProof: readonly Right[] = ["keys.create", "keys.change", "people.change", "sign-in.change"];

/** How long a proof counts for them. */
export const proofMs = 30 * 60_000;

export function needsProof(right: Right): boolean {
  return rightsWithProof.includes(right);
}
