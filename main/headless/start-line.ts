import * as z from "zod";

/** The line of JSON on standard output that tells whether the donor started. */
export const donorStartLine = z.discriminatedUnion("ready", [
  z.object({ ready: z.literal(true), panelUrl: z.string().nullable() }),
  /** `portTaken`: another program uses the panel's port. `why`: the reason in words, which standard error shows among others. */
  z.object({ ready: z.literal(false), portTaken: z.boolean(), why: z.string() }),
]);

export type DonorStartLine = z.infer<typeof donorStartLine>;
