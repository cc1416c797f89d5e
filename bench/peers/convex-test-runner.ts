import { type GenericSchema, makeFunctionReference, type SchemaDefinition } from "convex/server";
import { convexToJson, jsonToConvex, type Value } from "convex/values";
import type { TestConvex } from "convex-test";
import type { Engine, Scan, Transaction } from "../../packages/embedded/engine/model/types.ts";
import type {
  Completed,
  FunctionCall,
  FunctionRunner,
  Outcome,
} from "../../packages/embedded/runtime/contract/function-runner.ts";

type Mock = TestConvex<SchemaDefinition<GenericSchema, boolean>>;

/** The only timestamp, since a mock has no versions. */
const now = 1n;

/** Runs functions on convex-test, which has neither timestamps nor read sets. */
export function convexTestRunner(mock: Mock): FunctionRunner {
  const query = ({ path, args }: FunctionCall) =>
    outcomeOf(mock.query(makeFunctionReference<"query">(path), argsOf(args)));
  const mutation = ({ path, args }: FunctionCall) =>
    outcomeOf(mock.mutation(makeFunctionReference<"mutation">(path), argsOf(args)));
  const action = ({ path, args }: FunctionCall) =>
    outcomeOf(mock.action(makeFunctionReference<"action">(path), argsOf(args)));
  return {
    runQuery: async (call) => ({
      ...(await query(call)),
      ts: now,
      readSet: { ranges: [], size: 0 },
      journal: null,
    }),
    runMutation: async (call) => ({ ...(await mutation(call)), ts: now }),
    runAction: action,
    runAny: () => Promise.reject(new Error("convex-test needs to know the kind of a function")),
    runHttp: () => Promise.resolve(null),
    functionSpecs: () => [],
  };
}

const noRows: Scan = { next: () => null };

/** The front end's view of an engine. A mock has one timestamp and no rows of the front end, and reports no commits. */
export function engineWithoutSubscriptions(): Engine {
  const asked: Pick<Engine, "durable" | "begin" | "discard" | "subscribe"> = {
    durable: () => now,
    begin: () => ({ snapshot: now, scan: () => noRows }) as unknown as Transaction,
    discard: () => undefined,
    subscribe: () => () => undefined,
  };
  return asked as Engine;
}

async function outcomeOf(running: Promise<unknown>): Promise<Completed> {
  const outcome = await running.then(
    (value): Outcome => ({ kind: "success", value: convexToJson((value ?? null) as Value) }),
    (error: unknown): Outcome => ({
      kind: "failure",
      message: error instanceof Error ? error.message : String(error),
    }),
  );
  return { outcome, logLines: [] };
}

function argsOf(args: FunctionCall["args"]): Record<string, Value> {
  return jsonToConvex(args) as Record<string, Value>;
}
