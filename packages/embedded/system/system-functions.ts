import type { JSONValue } from "convex/values";
import type { Engine, ReadSet, Transaction } from "../engine/model/types.ts";
import { appComponent, type ComponentPath } from "../names/table-name.ts";
import type {
  Completed,
  FunctionCall,
  FunctionRunner,
  Outcome,
  QueryRun,
} from "../runtime/contract/function-runner.ts";

const prefix = "_system/";

/** A built-in query about the app or the given component. Its reads make it live, like any query. */
type SystemQuery = (transaction: Transaction, args: JSONValue, component: ComponentPath) => JSONValue;

/** By path, without ":default": "_system/cli/tables". */
export type SystemQueries = { readonly [path: string]: SystemQuery };

/** Adds the built-in functions that the `convex` CLI expects. Only the admin may call them. */
export function withSystemFunctions(
  engine: Engine,
  runner: FunctionRunner,
  families: readonly SystemQueries[],
): FunctionRunner {
  const queries = new Map(families.flatMap((family) => Object.entries(family)));
  const isSystem = (call: FunctionCall): boolean => isSystemFunction(call.path);
  return {
    runQuery: (call) =>
      isSystem(call) ? Promise.resolve(runSystemQuery(engine, queries, call)) : runner.runQuery(call),
    runMutation: (call) => runner.runMutation(call),
    runAction: (call) => runner.runAction(call),
    runAny: (call): Promise<Completed> =>
      isSystem(call) ? Promise.resolve(runSystemQuery(engine, queries, call)) : runner.runAny(call),
    runHttp: (request, caller) => runner.runHttp(request, caller),
    functionSpecs: (component) => runner.functionSpecs(component),
  };
}

/** Whether a path names a built-in function. */
export function isSystemFunction(path: string): boolean {
  return path.startsWith(prefix);
}

function runSystemQuery(
  engine: Engine,
  queries: ReadonlyMap<string, SystemQuery>,
  call: Parameters<FunctionRunner["runQuery"]>[0],
): QueryRun {
  const transaction = engine.begin({ snapshot: call.ts ?? engine.durable() });
  try {
    const outcome = outcomeOf(queries, call, transaction);
    const readSet: ReadSet = transaction.readSet;
    return { outcome, logLines: [], ts: transaction.snapshot, readSet, journal: null };
  } finally {
    engine.discard(transaction);
  }
}

function outcomeOf(
  queries: ReadonlyMap<string, SystemQuery>,
  { path, component = appComponent, identity, args }: FunctionCall,
  transaction: Transaction,
): Outcome {
  const query = queries.get(path.replace(/:default$/, ""));
  if (identity.kind !== "admin" || query === undefined) {
    const advice = identity.kind === "admin" ? " The embedded backend does not support the dashboard." : "";
    return { kind: "failure", message: `Could not find public function for '${path}'.${advice}` };
  }
  return { kind: "success", value: query(transaction, args, component) };
}
