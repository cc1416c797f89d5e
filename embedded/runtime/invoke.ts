import type { JSONValue } from "convex/values";
import { checkArguments, checkReturned } from "./arguments.ts";
import { executions, isTransactional, type Execution } from "./execution.ts";
import { localTableOf } from "./component-tables.ts";
import { describeThrown, refusal, type FunctionResult } from "./function-failure.ts";
import type { RegisteredFunction } from "./registered-function.ts";
import type { Services } from "./services.ts";
import { FunctionTimeError } from "./execution-time.ts";
import { NeverResolvesError, withinUserTime } from "./user-time.ts";
import type { TableOf } from "./validator-json.ts";

/** Runs a function's handler in an execution: arguments checked before, the returned value after. */
export async function invoke(
  services: Services,
  execution: Execution,
  target: RegisteredFunction,
  args: JSONValue,
): Promise<FunctionResult> {
  const tableOf = tableLookup(services, execution);
  const problem = checkArguments(target, args, tableOf);
  if (problem !== null) return refusal(problem);
  let value: JSONValue;
  try {
    const argsJson = JSON.stringify([args]);
    const { requestId } = execution.context;
    execution.time.start();
    const returned = executions.run(execution, () => target.invoke(argsJson, requestId));
    value = JSON.parse(await withinUserTime(execution, returned)) as JSONValue;
  } catch (thrown) {
    // What it threw meanwhile does not matter: it was told to stop.
    const stopped = execution.time.error ?? thrown;
    if (stopped instanceof FunctionTimeError || stopped instanceof NeverResolvesError) {
      return refusal(stopped.message);
    }
    return describeThrown(thrown, services.mapStack);
  }
  const unfit = checkReturned(target, value, tableOf);
  return unfit === null ? { kind: "success", value } : refusal(unfit);
}

function tableLookup({ engine }: Services, execution: Execution): TableOf {
  if (isTransactional(execution)) return (id) => localTableOf(execution.transaction, execution.component, id);
  return (id) => {
    const transaction = engine.begin();
    try {
      return localTableOf(transaction, execution.component, id);
    } finally {
      engine.discard(transaction);
    }
  };
}
