import type { Tone } from "../../ui/tone.ts";
import type { CodeRow } from "../data/rows.ts";

/** Whether a code still admits devices at `now` (ms since the epoch). */
export function codeState(
  code: Pick<CodeRow, "uses" | "used" | "expiresAt" | "revokedAt">,
  now: number,
): { readonly tone: Tone; readonly words: string; readonly open: boolean } {
  if (code.revokedAt !== null) return { tone: "quiet", words: "Revoked", open: false };
  if (code.used >= code.uses) return { tone: "quiet", words: "Used up", open: false };
  if (code.expiresAt <= now) return { tone: "quiet", words: "Expired", open: false };
  return { tone: "good", words: "Open", open: true };
}
