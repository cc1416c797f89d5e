import * as z from "zod";
import type { FunctionStats } from "./conflict-stats.ts";

const rangeSchema = z.object({ table: z.string(), range: z.string(), conflicts: z.number() });

const collidedSchema = z.object({
  at: z.number(),
  table: z.string(),
  range: z.string(),
  documentId: z.string(),
  retried: z.boolean(),
});

const functionSchema: z.ZodType<FunctionStats> = z.object({
  runs: z.number(),
  conflicts: z.number(),
  retries: z.number(),
  exhausted: z.number(),
  collisions: z.record(z.string(), z.number()),
  ranges: z.array(rangeSchema),
  latest: z.array(collidedSchema),
});

/** The answer of `GET /api/embedded/conflicts` and of the query `_system/embedded/conflicts`, for clients to parse. */
export const conflictReportSchema = z.object({ functions: z.record(z.string(), functionSchema) });

export type ConflictReport = z.infer<typeof conflictReportSchema>;
