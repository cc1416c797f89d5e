import type { JSONValue } from "convex/values";
import type { ConflictStats } from "./conflict-stats.ts";
import { endExecution, newNestedExecution, type CallContext } from "./execution.ts";
import { invoke } from "./invoke.ts";
import type { RegisteredFunction } from "./registered-function.ts";
import { runAction } from "./run-action.ts";
import { runMutation } from "./run-mutation.ts";
import { runQuery } from "./run-query.ts";
import type { Calls, Services } from "./services.ts";

/** Connects functions to the functions that they call. */
export function createCalls(services: () => Services, stats: ConflictStats): Calls {
  return {
    nested: async (parent, target, args) => {
      const kind = target.type === "Query" ? "query" : "mutation";
      const execution = newNestedExecution(parent, kind, target);
      try {
        const result = await invoke(services(), execution, target, args);
        await execution.turn;
        return result;
      } finally {
        endExecution(execution);
      }
    },
    query: async (target: RegisteredFunction, args: JSONValue, context: CallContext) =>
      (await runQuery(services(), target, args, context)).result,
    mutation: async (target, args, context) =>
      (await runMutation(services(), stats, { target, args, context })).result,
    action: (target, args, context) => runAction(services(), target, args, context),
  };
}
