import { makeFunctionReference } from "convex/server";
import { convexToJson, jsonToConvex, type JSONValue, type Value } from "convex/values";
import { convexTest } from "convex-test";
import { openEngine } from "../../packages/embedded/engine/engine.ts";
import { bundleFunctions } from "../../packages/embedded/runtime/bundle/bundle.ts";
import type { Completed } from "../../packages/embedded/runtime/contract/function-runner.ts";
import { createFunctionRuntime } from "../../packages/embedded/runtime/create-function-runtime.ts";
import type { Bundle } from "../../packages/embedded/runtime/isolate/worlds.ts";
import * as filters from "./convex/filters.ts";
import * as interpreter from "./convex/interpreter.ts";
import schema from "./convex/schema.ts";

/** A function's value, or the error that its client gets. */
export type Outcome =
  | { readonly kind: "value"; readonly value: Value }
  | { readonly kind: "error"; readonly message: string; readonly data?: Value };

/** A backend that runs the interpreter's functions on an empty database. */
export type Backend = {
  readonly call: (name: "mutate" | "read" | "page", args: Record<string, Value>) => Promise<Outcome>;
  readonly close: () => Promise<void>;
};

let bundle: Promise<Bundle> | null = null;

async function interpreterBundle(): Promise<Bundle> {
  const built = await bundleFunctions(new URL("./convex", import.meta.url).pathname);
  if (built.kind === "failed") throw new Error(built.message);
  return built.bundle;
}

/** The embedded backend's engine, in memory, and its runtime, in this process. */
export async function openRuntime() {
  bundle ??= interpreterBundle();
  const engine = openEngine({ path: ":memory:" });
  return { engine, runner: createFunctionRuntime({ bundle: await bundle, engine }) };
}

/** The embedded backend, to be called by name. */
export async function openEmbedded(): Promise<Backend> {
  const { engine, runner } = await openRuntime();
  return {
    call: async (name, args) => {
      const call = {
        path: `interpreter:${name}`,
        // As text, like over the network.
        args: JSON.parse(JSON.stringify(convexToJson(args))) as JSONValue,
        identity: { kind: "none" as const },
        requestId: "request",
      };
      return outcomeOf(await (name === "mutate" ? runner.runMutation(call) : runner.runQuery(call)));
    },
    close: () => engine.close(),
  };
}

/** A function's outcome, decoded. */
export function outcomeOf({ outcome }: Pick<Completed, "outcome">): Outcome {
  if (outcome.kind === "success") return { kind: "value", value: jsonToConvex(outcome.value) };
  const { message, data } = outcome;
  return data === undefined
    ? { kind: "error", message }
    : { kind: "error", message, data: jsonToConvex(data) };
}

const modules = {
  "./convex/_generated/api.js": () => Promise.resolve({}),
  "./convex/interpreter.ts": () => Promise.resolve(interpreter),
  "./convex/filters.ts": () => Promise.resolve(filters),
};

/** convex-test: Convex's own fake, which shares no code with ours. */
export function openConvexTest(): Backend {
  const fake = convexTest(schema, modules);
  return {
    call: async (name, args) => {
      try {
        const value = (await (name === "mutate"
          ? fake.mutation(makeFunctionReference<"mutation">("interpreter:mutate"), args)
          : fake.query(makeFunctionReference<"query">(`interpreter:${name}`), args))) as Value;
        return { kind: "value", value };
      } catch (error) {
        const { message, data } = error as { message: string; data?: Value };
        return data === undefined ? { kind: "error", message } : { kind: "error", message, data };
      }
    },
    close: () => Promise.resolve(),
  };
}
