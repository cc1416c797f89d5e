import {
  type FunctionReference,
  type FunctionReturnType,
  mutationGeneric,
  queryGeneric,
  type RegisteredMutation,
  type RegisteredQuery,
} from "convex/server";
import { type ObjectType, type PropertyValidators, v } from "convex/values";
import type { QueueComponent } from "../component/component.ts";
import { workerMutations, workerQueries } from "../component/workerArgs.ts";
import type { Queue } from "./queue.ts";

type Work = QueueComponent["work"];
type WithKey<Args extends PropertyValidators> = ObjectType<Args & { key: ReturnType<typeof v.string> }>;
type WorkerFunctions = {
  [Name in keyof typeof workerMutations]: RegisteredMutation<
    "public",
    WithKey<(typeof workerMutations)[Name]>,
    Promise<FunctionReturnType<Work[Name]>>
  >;
} & {
  [Name in keyof typeof workerQueries]: RegisteredQuery<
    "public",
    WithKey<(typeof workerQueries)[Name]>,
    Promise<FunctionReturnType<Work[Name]>>
  >;
};

/**
 * The functions that workers call, with their key in place of its hash. An app exports them from one module:
 * `export const { take, candidates, claim, … } = workerFunctions(queue)`. Convex reads a module's exports by their names,
 * so the app has to list them. A worker that is given `api.work` does not compile while one is missing.
 */
export function workerFunctions(queue: Queue): WorkerFunctions {
  const work: Readonly<Record<string, unknown>> = queue.component.work;
  const mutations = Object.entries(workerMutations).map(([name, args]) => [
    name,
    mutationGeneric({
      args: { ...args, key: v.string() },
      handler: (ctx, call) => queue.workerMutation(ctx, work[name] as WorkerMutation, call),
    }),
  ]);
  const queries = Object.entries(workerQueries).map(([name, args]) => [
    name,
    queryGeneric({
      args: { ...args, key: v.string() },
      handler: (ctx, call) => queue.workerQuery(ctx, work[name] as WorkerQuery, call),
    }),
  ]);
  return Object.fromEntries([...mutations, ...queries]) as WorkerFunctions;
}

type WorkerMutation = FunctionReference<"mutation", "internal", { keyHash: string }>;
type WorkerQuery = FunctionReference<"query", "internal", { keyHash: string }>;
