import { createFunctionHandle, type PaginationOptions } from "convex/server";
import type { Value } from "convex/values";
import type { QueueComponent } from "../component/component.ts";
import type { MutationRunner, OnDone, QueryRunner } from "./runners.ts";

export function batchCalls(component: QueueComponent) {
  return {
    /** @param onDone called once, when every job of the sealed batch is final. */
    create: async (
      ctx: MutationRunner,
      scope: string,
      batch: {
        readonly externalId?: string;
        readonly onDone?: OnDone;
        readonly context?: Value;
        readonly actor?: string;
      } = {},
    ): Promise<string> => {
      const { onDone, ...rest } = batch;
      const handle = onDone === undefined ? {} : { onDone: await createFunctionHandle(onDone) };
      return await ctx.runMutation(component.batches.create, { scope, ...rest, ...handle });
    },
    /** Closes the batch to more jobs. */
    seal: async (ctx: MutationRunner, scope: string, batchId: string, actor = "app"): Promise<void> => {
      await ctx.runMutation(component.batches.seal, { scope, batchId, actor });
    },
    cancel: async (ctx: MutationRunner, scope: string, batchId: string, actor = "app"): Promise<void> => {
      await ctx.runMutation(component.batches.cancel, { scope, batchId, actor });
    },
    get: async (ctx: QueryRunner, scope: string, batchId: string) =>
      await ctx.runQuery(component.batches.get, { scope, batchId }),
    byExternalId: async (ctx: QueryRunner, scope: string, externalId: string) =>
      await ctx.runQuery(component.batches.byExternalId, { scope, externalId }),
    list: async (ctx: QueryRunner, scope: string, paginationOpts: PaginationOptions) =>
      await ctx.runQuery(component.batches.list, { scope, paginationOpts }),
  };
}
