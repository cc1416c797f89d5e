import { fileURLToPath } from "node:url";
import type { JSONValue } from "convex/values";
import { openEngine } from "../engine/engine.ts";
import type { Engine } from "../engine/model/types.ts";
import { bundleFunctions } from "./bundle/bundle.ts";
import type { Completed, FunctionCall, Identity } from "./contract/function-runner.ts";
import { createFunctionRuntime, type RuntimeOptions } from "./create-function-runtime.ts";
import type { FunctionRuntime } from "./function-runtime.ts";
import type { Bundle } from "./isolate/worlds.ts";

/** The functions folder that the tests of the runtime and of the scheduler run. */
export const fixtureFolder = fileURLToPath(new URL("./fixtures/convex", import.meta.url));

let bundled: Promise<Bundle> | null = null;

/** The fixture's bundle, built once per test file. */
export function fixtureBundle(): Promise<Bundle> {
  bundled ??= bundleFunctions(fixtureFolder).then((outcome) => {
    if (outcome.kind === "failed") throw new Error(outcome.message);
    return outcome.bundle;
  });
  return bundled;
}

export type Fixture = {
  readonly engine: Engine;
  readonly runner: FunctionRuntime;
  /** Calls a function of any type; throws with the client's message if it fails. */
  readonly call: (path: string, args?: JSONValue, identity?: Identity) => Promise<JSONValue>;
};

export async function openFixture(options: Partial<RuntimeOptions> = {}): Promise<Fixture> {
  const engine = options.engine ?? openEngine({ path: ":memory:" });
  const runner = createFunctionRuntime({ bundle: await fixtureBundle(), ...options, engine });
  return {
    engine,
    runner,
    call: async (path, args = {}, identity = { kind: "none" }) =>
      valueOf(await runner.runAny({ ...request(path, args), identity })),
  };
}

export function request(path: string, args: JSONValue = {}): FunctionCall {
  return { path, args, identity: { kind: "none" }, requestId: "request" };
}

export function valueOf({ outcome }: Completed): JSONValue {
  if (outcome.kind === "failure") throw new Error(outcome.message);
  return outcome.value;
}
