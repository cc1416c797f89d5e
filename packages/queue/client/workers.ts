import type { QueueComponent } from "../component/component.ts";
import type { MutationRunner, QueryRunner, Rest } from "./runners.ts";

export function workerCalls(component: QueueComponent, hashKey: (key: string) => Promise<string>) {
  return {
    /** Takes the worker's key, or its hash if the app knows only that. `hashKey` must give the same hash. */
    register: async (
      ctx: MutationRunner,
      scope: string,
      worker: ({ readonly key: string } | { readonly keyHash: string }) &
        Rest<QueueComponent["workers"]["register"], "scope" | "keyHash">,
    ): Promise<string> => {
      const { name, externalId, groups, dataClasses, actor = "app" } = worker;
      const keyHash = "key" in worker ? await hashKey(worker.key) : worker.keyHash;
      const { workerId } = await ctx.runMutation(component.workers.register, {
        scope,
        keyHash,
        name,
        actor,
        ...(externalId === undefined ? {} : { externalId }),
        ...(groups === undefined ? {} : { groups }),
        ...(dataClasses === undefined ? {} : { dataClasses }),
      });
      return workerId;
    },
    update: async (
      ctx: MutationRunner,
      scope: string,
      change: Rest<QueueComponent["workers"]["update"], "scope">,
    ): Promise<void> => {
      await ctx.runMutation(component.workers.update, { scope, ...change });
    },
    get: async (ctx: QueryRunner, scope: string, workerId: string) =>
      await ctx.runQuery(component.workers.get, { scope, workerId }),
    byExternalId: async (ctx: QueryRunner, scope: string, externalId: string) =>
      await ctx.runQuery(component.workers.byExternalId, { scope, externalId }),
    /** The worker with this key, in any scope. */
    byKey: async (ctx: QueryRunner, key: string) =>
      await ctx.runQuery(component.workers.find, { keyHash: await hashKey(key) }),
    list: async (ctx: QueryRunner, scope: string, which: Rest<QueueComponent["workers"]["list"], "scope">) =>
      await ctx.runQuery(component.workers.list, { scope, ...which }),
    history: async (
      ctx: QueryRunner,
      scope: string,
      which: Rest<QueueComponent["workers"]["history"], "scope">,
    ) => await ctx.runQuery(component.workers.history, { scope, ...which }),
  };
}
