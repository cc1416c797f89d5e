import type { QueueComponent } from "../component/component.ts";
import type { MutationRunner, QueryRunner, Rest } from "./runners.ts";

/** Jobs that failed for good or ran out of time. */
export function deadLetterCalls(component: QueueComponent) {
  return {
    list: async (
      ctx: QueryRunner,
      scope: string,
      which: Rest<QueueComponent["deadLetters"]["list"], "scope">,
    ) => await ctx.runQuery(component.deadLetters.list, { scope, ...which }),
    /** Once more, with all its retries; `gone`: its payload was deleted. */
    retry: async (ctx: MutationRunner, scope: string, jobId: string, actor = "app") =>
      await ctx.runMutation(component.deadLetters.retry, { scope, jobId, actor }),
    /** All, or all of a kind: `started` of them at once, the rest soon after; `more`: it is still looked for them. */
    retryAll: async (ctx: MutationRunner, scope: string, kind?: string, actor = "app") =>
      await ctx.runMutation(component.deadLetters.retryAll, {
        scope,
        actor,
        ...(kind === undefined ? {} : { kind }),
      }),
    /** Deletes its payload now; its record stays. */
    discard: async (ctx: MutationRunner, scope: string, jobId: string, actor = "app") =>
      await ctx.runMutation(component.deadLetters.discard, { scope, jobId, actor }),
  };
}
