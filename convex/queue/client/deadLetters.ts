import type { QueueComponent } from "../component.ts";
import type { MutationRunner, QueryRunner, Rest } from "./runners.ts";

/** Jobs that failed for good or ran out of time. */
export function deadLetterCalls(component: QueueComponent) {
  return {
    list: async (
      ctx: QueryRunner,
      scope: string,
      which: Rest<QueueComponent["deadLetters"]["list"], "scope">,
    ) => await ctx.runQuery(component.deadLetters.list, { scope, ...which }),
    retry: async (ctx: MutationRunner, scope: string, jobId: string, actor = "app") =>
      await ctx.runMutation(component.deadLetters.retry, { scope, jobId, actor }),
    retryAll: async (ctx: MutationRunner, scope: string, kind?: string, actor = "app") =>
      await ctx.runMutation(component.deadLetters.retryAll, {
        scope,
        actor,
        ...(kind === undefined ? {} : { kind }),
      }),
    discard: async (ctx: MutationRunner, scope: string, jobId: string, actor = "app") =>
      await ctx.runMutation(component.deadLetters.discard, { scope, jobId, actor }),
  };
}
