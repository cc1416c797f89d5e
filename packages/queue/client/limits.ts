import type { QueueComponent } from "../component/component.ts";
import type { MutationRunner, QueryRunner, Rest } from "./runners.ts";

/** Limits on the jobs of a requester or key that are ready or held at once, and weights of requesters. */
export function limitCalls(component: QueueComponent) {
  return {
    set: async (
      ctx: MutationRunner,
      scope: string,
      limit: Rest<QueueComponent["limits"]["set"], "scope">,
    ): Promise<void> => {
      await ctx.runMutation(component.limits.set, { scope, ...limit });
    },
    get: async (ctx: QueryRunner, scope: string, of: "requester" | "key", name: string) =>
      await ctx.runQuery(component.limits.get, { scope, of, name }),
    list: async (ctx: QueryRunner, scope: string) => await ctx.runQuery(component.limits.list, { scope }),
  };
}
