import type { QueueComponent } from "../component/component.ts";
import type { MutationRunner, QueryRunner, Rest } from "./runners.ts";

/** Jobs that failed for good or missed their deadline. */
export function deadLetterCalls(component: QueueComponent) {
  return {
    list: async (
      ctx: QueryRunner,
      scope: string,
      which: Rest<QueueComponent["deadLetters"]["list"], "scope">,
    ) => await ctx.runQuery(component.deadLetters.list, { scope, ...which }),
    /** Runs a job again with all its retries. `gone`: its payload was deleted. */
    retry: async (ctx: MutationRunner, scope: string, jobId: string, actor = "app") =>
      await ctx.runMutation(component.deadLetters.retry, { scope, jobId, actor }),
    /** Retries all, or all of a kind. `started` of them are ready now; `more`: the rest follows soon. */
    retryAll: async (ctx: MutationRunner, scope: string, kind?: string, actor = "app") =>
      await ctx.runMutation(component.deadLetters.retryAll, {
        scope,
        actor,
        ...(kind === undefined ? {} : { kind }),
      }),
    /** Deletes the payload. The job's record stays. */
    discard: async (ctx: MutationRunner, scope: string, jobId: string, actor = "app") =>
      await ctx.runMutation(component.deadLetters.discard, { scope, jobId, actor }),
  };
}
