import * as z from "zod";

export const readyLine = z.object({ ready: z.literal(true), url: z.url(), siteUrl: z.url() });

/** The line of JSON on standard output that tells whether the backend started. */
export const startLine = z.discriminatedUnion("ready", [
  readyLine,
  z.object({
    ready: z.literal(false),
    /** The name of the error. Standard error has its message. */
    error: z.string(),
    /** The port that another program uses. */
    takenPort: z.number().optional(),
    /** The table whose stored documents do not fit the schema, and the first field that does not fit. */
    misfit: z.object({ table: z.string(), field: z.string().nullable() }).optional(),
  }),
]);

export type StartLine = z.infer<typeof startLine>;
