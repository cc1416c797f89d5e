import type { Right } from "./rights.ts";

/**
 * These rights have lasting effects, so they need a recent proof of the member's identity. Pausing and retiring devices needs
 * none, not even for many at once: it can be undone, and must be quick when a device misbehaves.
 */
const rightsWithProof: readonly Right[] = [
  "keys.create",
  "keys.change",
  "keys.revoke",
  "keys.hand-over",
  "devices.enroll",
  "devices.hand-over",
  "credits.use",
  "payouts.decide",
  "people.change",
  "sign-in.change",
  "archives.change",
  "payloads.change",
];

/** How long a proof counts for them. */
export const proofMs = 30 * 60_000;

export function needsProof(right: Right): boolean {
  return rightsWithProof.includes(right);
}
