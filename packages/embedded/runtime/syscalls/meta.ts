import type { JSONValue } from "convex/values";
import { parseFunctionPath, shortPathOf } from "../../names/function-path.ts";
import { APP } from "../../names/table-name.ts";
import type { Execution, TransactionExecution } from "../execution/execution.ts";
import type { Services } from "./services.ts";

/** `1.0/getTransactionMetrics` */
export function getTransactionMetrics(_: Services, { usage }: TransactionExecution): JSONValue {
  return usage.metrics();
}

/** `1.0/getFunctionMetadata` */
export function getFunctionMetadata(_: Services, { identifier, component }: Execution): JSONValue {
  const own = component === APP ? identifier : identifier.slice(component.length + 1);
  const path = parseFunctionPath(own);
  return { name: path === null ? own : shortPathOf(path), componentPath: component };
}

/** `1.0/getDeploymentMetadata` */
export function getDeploymentMetadata({ deploymentName }: Services): JSONValue {
  return { name: deploymentName, region: null, class: "s16" };
}

/** `1.0/getRequestMetadata`, in mutations and actions. A caller's token is not kept once it was verified. */
export function getRequestMetadata(_: Services, { context }: Execution): JSONValue {
  const { source, requestId, scheduledFunctionId } = context;
  return { ...source, requestId, scheduledFunctionId, authToken: null };
}
