import type { QueueComponent } from "../component/component.ts";
import type { JobSpec } from "../component/validators.ts";
import type { JobInput, MutationRunner, QueryRunner, Rest } from "./runners.ts";

/** Jobs that the queue submits by an interval or a cron expression. */
export function recurringCalls(component: QueueComponent, specOf: (job: JobInput) => Promise<JobSpec>) {
  return {
    set: async (
      ctx: MutationRunner,
      scope: string,
      {
        job,
        ...rest
      }: Omit<Rest<QueueComponent["recurring"]["set"], "scope">, "job"> & {
        readonly job: JobInput;
      },
    ): Promise<void> => {
      const spec = await specOf(job);
      await ctx.runMutation(component.recurring.set, { scope, ...rest, job: spec });
    },
    setPaused: async (
      ctx: MutationRunner,
      scope: string,
      name: string,
      paused: boolean,
      actor = "app",
    ): Promise<void> => {
      await ctx.runMutation(component.recurring.setPaused, { scope, name, paused, actor });
    },
    remove: async (ctx: MutationRunner, scope: string, name: string, actor = "app"): Promise<void> => {
      await ctx.runMutation(component.recurring.remove, { scope, name, actor });
    },
    list: async (ctx: QueryRunner, scope: string) => await ctx.runQuery(component.recurring.list, { scope }),
  };
}
