import * as z from "zod";

const count = z.number().int().min(0);
const amount = z.number().min(0);

/** The fields of a result of a job that only reads: for vectors, tokens or a replay. Times are ms. */
export const readingCosts = {
  usage: z.object({ promptTokens: count, completionTokens: z.literal(0) }),
  timing: z.object({ prefillMs: amount, generateMs: z.literal(0) }),
};

export type ReadingCosts = {
  readonly usage: Readonly<z.infer<typeof readingCosts.usage>>;
  readonly timing: Readonly<z.infer<typeof readingCosts.timing>>;
};
