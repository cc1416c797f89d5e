import type { JSONValue } from "convex/values";
import { localTableOf } from "../../names/table-name.ts";
import { checkValue } from "../checks/check-value.ts";
import { formatBytes } from "../checks/format-bytes.ts";
import { formatValue } from "../checks/format-value.ts";
import { limits } from "../checks/limits.ts";
import { measureValue } from "../checks/measure-value.ts";
import type { TableOf } from "../checks/validator-json.ts";
import { kindOf } from "../checks/value-kind.ts";
import type { RegisteredFunction } from "../contract/registered-function.ts";
import { type Execution, isTransactional } from "../execution/execution.ts";
import { type FunctionResult, refusal } from "../execution/function-failure.ts";
import type { Services } from "../syscalls/services.ts";

const tooLargeForNode =
  "Node actions arguments size is too large. The maximum size is 5 MiB. Reduce the size of the arguments or consider " +
  "using Convex runtime actions instead, which have a 16 MiB limit. See https://docs.convex.dev/functions/runtimes";

/** Runs a function. Checks its arguments before, and the returned value after. */
export async function checked(
  services: Pick<Services, "engine">,
  execution: Execution,
  target: RegisteredFunction,
  args: JSONValue,
  run: () => Promise<FunctionResult>,
): Promise<FunctionResult> {
  const tableOf = tableLookup(services, execution);
  const problem = checkArguments(target, args, tableOf);
  if (problem !== null) return refusal(problem);
  const result = await run();
  if (result.kind === "failure") return result;
  const unfit = checkReturned(target, result.value, tableOf);
  return unfit === null ? result : refusal(unfit);
}

/** Tells the table of an id, for validators. */
function tableLookup({ engine }: Pick<Services, "engine">, execution: Execution): TableOf {
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

/** Returns Convex's message for invalid arguments of a function; null if they are valid. */
function checkArguments(
  { args: validator, identifier, runsInNode }: RegisteredFunction,
  args: JSONValue,
  tableOf: TableOf,
): string | null {
  // Convex also counts the list around the single argument.
  const measured = measureValue(args, 1);
  if (measured.kind === "refused") return `Invalid arguments for ${identifier}: ${measured.reason}`;
  if (measured.bytes > limits.argsBytes) {
    return `Arguments for ${identifier} are too large (actual: ${formatBytes(measured.bytes)}, limit: ${formatBytes(limits.argsBytes)})`;
  }
  if (runsInNode && measured.bytes > limits.nodeArgsBytes) return tooLargeForNode;
  if (kindOf(args) !== "object") {
    return `ArgumentValidationError: Expected to receive an object as the function's argument. Instead received: ${formatValue(args)}`;
  }
  const problem = checkValue(validator, args, tableOf);
  return problem === null ? null : `ArgumentValidationError: ${problem}`;
}

/** Returns the problem with a function's returned value; null if the value is valid. */
function checkReturned(
  { returns: validator, identifier }: RegisteredFunction,
  value: JSONValue,
  tableOf: TableOf,
): string | null {
  const measured = measureValue(value);
  if (measured.kind === "refused") return `Function ${identifier} return value invalid: ${measured.reason}`;
  if (measured.bytes > limits.returnBytes) {
    return `Function ${identifier} return value is too large (actual: ${formatBytes(measured.bytes)}, limit: ${formatBytes(limits.returnBytes)})`;
  }
  const problem = validator === null ? null : checkValue(validator, value, tableOf);
  return problem === null ? null : `ReturnsValidationError: ${problem}`;
}
