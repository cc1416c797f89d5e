import * as z from "zod";

/** Values that several answers have. */

export const time = z.int().describe("Seconds of Unix time.");
export const micro = z.string().describe("Micro-credits, as a whole number in a text.");

/** Micro-credits per token, the percent of them that a job costs, and the version of both. */
export const price = z.object({
  version: z.string(),
  prompt_micro: micro,
  completion_micro: micro,
  percent: z.int(),
});
export const tier = z.enum(["priority", "default", "flex"]);
export const usage = z.object({
  prompt_tokens: z.int(),
  completion_tokens: z.int(),
  total_tokens: z.int(),
  prompt_tokens_details: z.object({ cached_tokens: z.int() }),
});

/** How the request of a wrong answer goes on. */
export const correction = {
  corrected_by: z.string().nullable().describe("The job that answers the request again."),
  not_corrected: z.string().nullable().describe("Why no job does."),
  postponed: z
    .object({ why: z.string(), next_at: time })
    .nullable()
    .describe("Why no job does yet, and when that is tried again."),
};
