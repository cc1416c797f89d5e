import { type Handler, JobFailure, ReleaseJob } from "@gleaner/queue/worker";
import * as z from "zod";

/** Contains nothing of a job's content. */
export type JobEvent = {
  readonly event: "begun" | "succeeded" | "failed" | "let-go";
  readonly promptTokens?: number | undefined;
  readonly completionTokens?: number | undefined;
  /** The code of a failure. */
  readonly code?: string;
};

const reported = z.object({
  usage: z.object({
    promptTokens: z.number().int().min(0).optional(),
    completionTokens: z.number().int().min(0).optional(),
  }),
});

/** Wraps a handler to record how its jobs end: counts and error codes, but no content. */
export function journaledHandler(handler: Handler, record: (event: JobEvent) => void): Handler {
  return async (payload, ctx) => {
    let usage: z.infer<typeof reported>["usage"] = {};
    const end = (ended: Pick<JobEvent, "event" | "code">): void => record({ ...usage, ...ended });
    record({ event: "begun" });
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
      if (error instanceof ReleaseJob || ctx.signal.aborted) end({ event: "let-go" });
      else end({ event: "failed", code: error instanceof JobFailure ? error.code : "handler_error" });
      throw error;
    }
  };
}
