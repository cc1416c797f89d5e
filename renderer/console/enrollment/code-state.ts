import type { StatusWords } from "../../ui/status-words.ts";
import type { ArrivalRow, CodeRow } from "../data/rows.ts";

/** The status of a device that joined with a code. */
export const arrivalStatus: Readonly<Record<ArrivalRow["status"], StatusWords>> = {
  pending: { tone: "hold", words: "Waiting" },
  active: { tone: "good", words: "In service" },
  retired: { tone: "quiet", words: "Retired" },
};

/** Whether a code still admits devices at `now` (ms since the epoch). */
export function codeState(
  code: Pick<CodeRow, "uses" | "used" | "expiresAt" | "revokedAt">,
  now: number,
): StatusWords & { readonly active: boolean } {
  if (code.revokedAt !== null) return { tone: "quiet", words: "Revoked", active: false };
  if (code.used >= code.uses) return { tone: "quiet", words: "Used up", active: false };
  if (code.expiresAt <= now) return { tone: "quiet", words: "Expired", active: false };
  return { tone: "good", words: "Active", active: true };
}
