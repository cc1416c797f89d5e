import type { JSONValue } from "convex/values";
import { limits } from "../checks/limits.ts";
import type { RegisteredFunction } from "../contract/registered-function.ts";
import { type CallContext, newNestedExecution } from "../execution/execution.ts";
import { type FunctionResult, refusal } from "../execution/function-failure.ts";
import { type FunctionObserver, type RunCounts, timedRun, unobserved } from "../execution/function-run.ts";
import { TransactionUsage } from "../execution/transaction-usage.ts";
import type { Calls, Services } from "../syscalls/services.ts";
import type { ConflictStats } from "./conflict-stats.ts";
import { invokeToEnd } from "./invoke.ts";
import { runAction } from "./run-action.ts";
import { runMutation } from "./run-mutation.ts";
import { runQuery } from "./run-query.ts";

const tooManyActions =
  `Too many actions that were called by actions are running at once (limit: ${limits.calledActions}). ` +
  "Does an action call itself without end?";

/** Connects functions to the functions that they call. */
export function createCalls(
  services: () => Services,
  stats: ConflictStats,
  observer: FunctionObserver = unobserved,
): Calls {
  let calledActions = 0;
  // Log lines of an action's calls belong to the action.
  const watched = (target: RegisteredFunction, { requestId }: CallContext) => {
    const { identifier, type: kind } = target;
    const { component } = target.path;
    const ended = timedRun(observer, { requestId, component, identifier, kind, caller: "Action" });
    return (result: FunctionResult, counts: RunCounts = {}): FunctionResult => {
      ended({ result, ...counts, logLines: [] });
      return result;
    };
  };
  return {
    nested: (parent, target, args) => {
      const kind = target.type === "Query" ? "query" : "mutation";
      return invokeToEnd(services(), newNestedExecution(parent, kind, target), target, args);
    },
    snapshotQuery: async (parent, target, args, budget) => {
      const { engine } = services();
      const { snapshot, now } = parent.transaction;
      const transaction = engine.begin({ snapshot, now });
      try {
        const usage = new TransactionUsage();
        usage.lower(budget, () => 0);
        const execution = newNestedExecution(parent, "query", target, { transaction, usage });
        return await invokeToEnd(services(), execution, target, args);
      } finally {
        engine.discard(transaction);
      }
    },
    query: async (target: RegisteredFunction, args: JSONValue, context: CallContext) => {
      const ended = watched(target, context);
      const { result, documentsRead, readSet, ts } = await runQuery(services(), target, args, context);
      return { result: ended(result, { documentsRead }), readSet, ts };
    },
    mutation: async (target, args, context) => {
      const ended = watched(target, context);
      const { result, retries } = await runMutation(services(), stats, { target, args, context });
      return ended(result, { retries });
    },
    action: async (target, args, context) => {
      if (calledActions >= limits.calledActions) return refusal(tooManyActions);
      calledActions += 1;
      const ended = watched(target, context);
      try {
        return ended(await runAction(services(), target, args, context));
      } finally {
        calledActions -= 1;
      }
    },
  };
}
