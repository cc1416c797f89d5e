import { z } from "zod";
import type { Handler } from "../worker/handler.ts";
import { JobFailure, JobLetGo } from "../worker/job-failure.ts";
import type { JournalEntry } from "./entry.ts";

type JobEntry = Extract<JournalEntry, { kind: "job" }>;

const reported = z.object({
  usage: z.object({
    promptTokens: z.number().int().min(0).optional(),
    completionTokens: z.number().int().min(0).optional(),
  }),
});

/** The same handler, whose jobs are recorded: their ids, counts, durations and errors' codes, and nothing they hold. */
export function journaledHandler(handler: Handler, record: (entry: JournalEntry) => void): Handler {
  return async (payload, ctx) => {
    const startedAt = performance.now();
    const job = {
      kind: "job",
      attemptId: ctx.attemptId,
      jobKind: ctx.kind,
      modelId: ctx.requirements.model ?? null,
    } as const;
    let usage: z.infer<typeof reported>["usage"] = {};
    const end = (ended: Pick<JobEntry, "event" | "code">): void =>
      record({
        ...{ ...job, at: Date.now(), durationMs: Math.round(performance.now() - startedAt) },
        ...{ ...usage, ...ended },
      });
    record({ ...job, at: Date.now(), event: "begun" });
    try {
      const result = await handler(payload, {
        ...ctx,
        report: (facts) => {
          usage = reported.safeParse(facts).data?.usage ?? {};
          ctx.report(facts);
        },
      });
      end({ event: "succeeded" });
      return result;
    } catch (error) {
      if (error instanceof JobLetGo || ctx.signal.aborted) end({ event: "let-go" });
      else end({ event: "failed", code: error instanceof JobFailure ? error.code : "handler_error" });
      throw error;
    }
  };
}
