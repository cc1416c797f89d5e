import type { JSONValue } from "convex/values";
import type { RegisteredFunction } from "../contract/registered-function.ts";
import type { ActionExecution } from "../execution/execution.ts";
import { describeCopy, type FunctionResult, refusal } from "../execution/function-failure.ts";
import type { NodeOutcome } from "../node/node-run.ts";
import type { StackMapper } from "../source/stack-trace.ts";
import { answerNodeProcess } from "../syscalls/convex-global.ts";
import type { Services } from "../syscalls/services.ts";
import { checked } from "./arguments.ts";

/** Runs a "use node" action in a Node process. Checks the arguments before, and the returned value after. */
export function runInNode(
  services: Services,
  execution: ActionExecution,
  target: RegisteredFunction,
  args: JSONValue,
): Promise<FunctionResult> {
  return checked(services, execution, target, args, () => handle(services, execution, target, args));
}

async function handle(
  services: Services,
  execution: ActionExecution,
  { path, identifier }: RegisteredFunction,
  args: JSONValue,
): Promise<FunctionResult> {
  // A deploy may replace both before the action ends.
  const { node, mapStack } = services;
  if (node === null) throw new Error(`Nothing runs ${identifier}.`);
  const ends = new AbortController();
  const stop = (): void => ends.abort();
  if (execution.ended) stop();
  else execution.stops.add(stop);
  const outcome = await node.run({
    module: path.module,
    name: path.name,
    args: JSON.stringify([args]),
    log: (line) => execution.context.logs.add(line),
    answer: (op, argsJson) => answerNodeProcess(services, execution, op, argsJson),
    signal: ends.signal,
  });
  return resultOf(mapStack, outcome);
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
