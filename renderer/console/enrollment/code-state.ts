import type { StatusWords } from "../../ui/status-words.ts";
import type { CodeRow } from "../data/rows.ts";

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
