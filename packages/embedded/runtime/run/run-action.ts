import type { JSONValue } from "convex/values";
import type { RegisteredFunction } from "../contract/registered-function.ts";
import { type CallContext, endExecution, newActionExecution } from "../execution/execution.ts";
import type { FunctionResult } from "../execution/function-failure.ts";
import { watchMemory } from "../execution/memory/memory-watch.ts";
import type { Services } from "../syscalls/services.ts";
import { invoke, leavesWorldIntact } from "./invoke.ts";
import { runInNode } from "./run-in-node.ts";

/** Runs an action once, without retries: its side effects cannot be undone. */
export async function runAction(
  services: Services,
  target: RegisteredFunction,
  args: JSONValue,
  context: CallContext,
): Promise<FunctionResult> {
  const execution = newActionExecution("action", ofTarget(target), context);
  const { caller } = context;
  const stop = (): void => {
    execution.time.end("The action that called this action has ended.");
    endExecution(execution);
  };
  caller?.stops.add(stop);
  try {
    if (target.runsInNode) return await runInNode(services, execution, target, args);
    watchMemory(execution.time);
    const visit = services.worlds.visit(target.path, target.sharesWorld);
    const result = await invoke(services, execution, target, args, visit);
    visit.end(leavesWorldIntact(result));
    return result;
  } finally {
    caller?.stops.delete(stop);
    endExecution(execution);
  }
}

function ofTarget({ identifier, path }: RegisteredFunction) {
  return { identifier, component: path.component };
}
