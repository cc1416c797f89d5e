import type { JSONValue } from "convex/values";
import type { RegisteredFunction } from "../contract/registered-function.ts";
import type { ActionExecution } from "../execution/execution.ts";
import { describeCopy, type FunctionResult, refusal } from "../execution/function-failure.ts";
import type { NodeOutcome } from "../node/node-run.ts";
import type { StackMapper } from "../source/stack-trace.ts";
import { answerNodeProcess } from "../syscalls/convex-global.ts";
import type { Services } from "../syscalls/services.ts";
import { checkArguments, checkReturned } from "./arguments.ts";
import { tableLookup } from "./invoke.ts";

/** Runs a "use node" action in a Node process. Checks the arguments before, and the returned value after. */
export async function runInNode(
  services: Services,
  execution: ActionExecution,
  target: RegisteredFunction,
  args: JSONValue,
): Promise<FunctionResult> {
  const tableOf = tableLookup(services, execution);
  const problem = checkArguments(target, args, tableOf);
  if (problem !== null) return refusal(problem);
  if (services.node === null) throw new Error(`Nothing runs ${target.identifier}.`);
  const { module, name } = target.path;
  // A deploy may replace both before the action ends.
  const { mapStack } = services;
  const outcome = await services.node.run({
    module,
    name,
    args: JSON.stringify([args]),
    log: (line) => execution.context.logs.add(line),
    answer: (op, argsJson) => answerNodeProcess(services, execution, op, argsJson),
  });
  const result = resultOf(mapStack, outcome);
  if (result.kind === "failure") return result;
  const unfit = checkReturned(target, result.value, tableOf);
  return unfit === null ? result : refusal(unfit);
}

function resultOf(mapStack: StackMapper, outcome: NodeOutcome): FunctionResult {
  switch (outcome.kind) {
    case "returned":
      return parsed(outcome.json);
    case "threw":
      return describeCopy(outcome.thrown, mapStack);
    case "ended":
      return refusal(outcome.message);
  }
}

/** The convex package returns JSON. A function that only looks like one of its actions may return anything. */
function parsed(json: string): FunctionResult {
  try {
    return { kind: "success", value: JSON.parse(json) as JSONValue };
  } catch {
    return refusal("The action returned something else than JSON.");
  }
}
