import type { QueueComponent } from "../component/component.ts";
import type { MutationRunner, QueryRunner, Rest } from "./runners.ts";

export function laneCalls(component: QueueComponent) {
  return {
    list: async (ctx: QueryRunner, scope: string) => await ctx.runQuery(component.lanes.list, { scope }),
    setState: async (
      ctx: MutationRunner,
      scope: string,
      change: Rest<QueueComponent["lanes"]["setState"], "scope">,
    ): Promise<void> => {
      await ctx.runMutation(component.lanes.setState, { scope, ...change });
    },
  };
}
