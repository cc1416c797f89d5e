import {
  type FunctionReference,
  type FunctionReturnType,
  mutationGeneric,
  queryGeneric,
  type RegisteredMutation,
  type RegisteredQuery,
} from "convex/server";
import { type ObjectType, type PropertyValidators, v } from "convex/values";
import { workerArgs } from "../component/workerArgs.ts";
import type { Queue } from "./queue.ts";

const withKey = { key: v.string() };
type WithKey = typeof withKey;

/**
 * The functions that workers call, with their key in place of its hash. An app exports them and names their module to
 * its workers: `export const { take, candidates, claim, … } = workerFunctions(queue)`.
 */
export function workerFunctions(queue: Queue) {
  const { work, workers } = queue.component;
  return {
    hello: mutationOf(queue, workers.hello, workerArgs.hello),
    goodbye: mutationOf(queue, workers.goodbye, {}),
    heartbeat: mutationOf(queue, workers.heartbeat, {}),
    take: mutationOf(queue, work.take, workerArgs.take),
    candidates: queryOf(queue, work.candidates, workerArgs.candidates),
    handed: queryOf(queue, work.handed, {}),
    claim: mutationOf(queue, work.claim, workerArgs.claim),
    append: mutationOf(queue, work.append, workerArgs.append),
    progress: mutationOf(queue, work.progress, workerArgs.progress),
    complete: mutationOf(queue, work.complete, workerArgs.complete),
    fail: mutationOf(queue, work.fail, workerArgs.fail),
    release: mutationOf(queue, work.release, workerArgs.release),
    start: mutationOf(queue, work.start, workerArgs.start),
    leave: mutationOf(queue, work.leave, {}),
    held: queryOf(queue, work.held, {}),
  };
}

type WorkerMutation = FunctionReference<"mutation", "internal", { keyHash: string }>;
type WorkerQuery = FunctionReference<"query", "internal", { keyHash: string }>;

function mutationOf<Reference extends WorkerMutation, Args extends PropertyValidators>(
  queue: Queue,
  reference: Reference,
  args: Args,
): RegisteredMutation<"public", ObjectType<WithKey & Args>, Promise<FunctionReturnType<Reference>>> {
  return mutationGeneric({
    args: { ...args, ...withKey },
    handler: (ctx, given) => queue.workerMutation(ctx, reference, given as never),
  });
}

function queryOf<Reference extends WorkerQuery, Args extends PropertyValidators>(
  queue: Queue,
  reference: Reference,
  args: Args,
): RegisteredQuery<"public", ObjectType<WithKey & Args>, Promise<FunctionReturnType<Reference>>> {
  return queryGeneric({
    args: { ...args, ...withKey },
    handler: (ctx, given) => queue.workerQuery(ctx, reference, given as never),
  });
}
