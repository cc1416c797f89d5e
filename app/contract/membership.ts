import * as z from "zod";
import { donorSentence } from "./sentences/donor-sentences.ts";

/** Why a donor cannot join or reach its organization, for the terminal, the status and the panel. */
export const donorProblem = z.object({
  kind: z.enum([
    "code-refused",
    "identity-damaged",
    "wrong-server",
    "untrusted-server",
    "other-name",
    "no-backend",
    "unreachable",
    "other-key",
  ]),
  /** Says what is wrong, and what to do, in English for a terminal. */
  sentence: z.string(),
  /** The sentence for a page, which says it in its own language. Absent if it is only in English. */
  said: donorSentence.optional(),
  /** Time ends it, a new enrollment code in the panel, or only another start. */
  remedy: z.enum(["wait", "code", "restart"]),
});

export type DonorProblem = z.output<typeof donorProblem>;

/**
 * This computer's place in its organization. A donor prints it as a line of JSON for the program that started it, at each
 * change. Names are null without a membership.
 */
export const membershipReport = z.object({
  membership: z.literal(true),
  organization: z.string().nullable(),
  device: z.string().nullable(),
  isOnline: z.boolean(),
  /** An administrator retired this computer, so it gets no jobs. */
  isRetired: z.boolean(),
  problem: donorProblem.nullable(),
});

export type MembershipReport = z.output<typeof membershipReport>;

/**
 * The sentences that people read: that of the activity and that of the problem. A donor that cannot join is not asked
 * for a code, and one that is offline reads why.
 * @param why the sentence of the problem; null without one.
 */
export function sentencesOf(reason: string, sentence: string, why: string | null): string {
  if (why === null) return sentence;
  const saysLess = reason === "not-enrolled" || reason === "offline";
  return saysLess || why === sentence ? why : `${sentence} ${why}`;
}
