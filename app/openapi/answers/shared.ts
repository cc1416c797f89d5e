import * as z from "zod";

/** Values that several answers have. */

export const time = z.int().describe("Seconds of Unix time.");
export const micro = z.string().describe("Micro-credits, as a whole number in a text.");
export const tier = z.enum(["priority", "default", "flex"]);
export const usage = z.object({
  prompt_tokens: z.int(),
  completion_tokens: z.int(),
  total_tokens: z.int(),
  prompt_tokens_details: z.object({ cached_tokens: z.int() }),
});
