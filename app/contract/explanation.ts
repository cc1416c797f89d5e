import * as z from "zod";

const instant = z.number().int();
const count = z.number().int().min(0);

/** Counts of jobs and of their tokens. */
export const jobCounts = {
  begun: count,
  succeeded: count,
  failed: count,
  letGo: count,
  promptTokens: count,
  completionTokens: count,
};

const spanState = {
  kind: z.enum(["donating", "standby", "asleep", "not-running", "unknown"]),
  reason: z.string(),
  /** A few words for a table cell. */
  short: z.string(),
};

/** When the donor ran, when it did not, and why. Moments are ms since the epoch, durations are ms. */
export const explanation = z.object({
  since: instant,
  until: instant,
  /** In order, without gaps, from `since` to `until`. */
  spans: z.array(
    z.object({
      from: instant,
      to: instant,
      ...spanState,
      facts: z.record(z.string(), z.union([z.number(), z.boolean(), z.string(), z.null()])),
    }),
  ),
  /** One per reason, the longest first. */
  totals: z.array(
    z.object({ ...spanState, sentence: z.string(), ms: count, share: z.number(), spans: count }),
  ),
  donatedMs: count,
  /** `codes` contains the number of failures by code. */
  jobs: z.object({ ...jobCounts, codes: z.record(z.string(), count) }),
});

export type Explanation = Readonly<z.infer<typeof explanation>>;
