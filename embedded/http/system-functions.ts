import type { JSONValue } from "convex/values";
import type { Engine, ReadSet } from "../engine/types.ts";
import type { Completed, FunctionCall, FunctionRunner, Outcome } from "../runtime/types.ts";
import type { EnvironmentVariables } from "./environment-variables.ts";

const PREFIX = "_system/";
const NOTHING_READ: ReadSet = { ranges: [], size: 0 };

export type SystemFunctionDeps = {
  readonly engine: Engine;
  readonly runner: FunctionRunner;
  readonly environment: EnvironmentVariables;
};

type SystemQuery = (args: JSONValue) => JSONValue;

/** The runner, and beside the deployment's own functions those that the `convex` CLI expects to find. */
export function withSystemFunctions(deps: SystemFunctionDeps): FunctionRunner {
  const { engine, runner } = deps;
  const queries = systemQueries(deps);
  const complete = (call: FunctionCall): Completed => ({ outcome: runSystem(queries, call), logLines: [] });
  const isSystem = (call: FunctionCall): boolean => call.path.startsWith(PREFIX);
  return {
    runQuery: (call) =>
      isSystem(call)
        ? Promise.resolve({
            ...complete(call),
            ts: call.ts ?? engine.durable(),
            readSet: NOTHING_READ,
            journal: null,
          })
        : runner.runQuery(call),
    runMutation: (call) => runner.runMutation(call),
    runAction: (call) => runner.runAction(call),
    runAny: (call) => (isSystem(call) ? Promise.resolve(complete(call)) : runner.runAny(call)),
    runHttp: (request) => runner.runHttp(request),
    functionSpecs: () => runner.functionSpecs(),
  };
}

function runSystem(queries: ReadonlyMap<string, SystemQuery>, call: FunctionCall): Outcome {
  const query = queries.get(call.path.replace(/:default$/, ""));
  if (call.identity.kind !== "admin" || query === undefined) {
    return { kind: "failure", message: `Could not find public function for '${call.path}'.` };
  }
  return { kind: "success", value: query(call.args) };
}

function systemQueries({ runner, environment }: SystemFunctionDeps): ReadonlyMap<string, SystemQuery> {
  return new Map<string, SystemQuery>([
    [
      "_system/cli/modules:apiSpec",
      () =>
        runner.functionSpecs().map((spec) => ({
          identifier: spec.identifier,
          functionType: spec.functionType,
          visibility: { kind: spec.visibility },
          args: spec.args,
          returns: spec.returns,
        })),
    ],
    ["_system/cli/convexUrl:cloudUrl", () => environment.all["CONVEX_CLOUD_URL"] ?? null],
    ["_system/cli/convexUrl:siteUrl", () => environment.all["CONVEX_SITE_URL"] ?? null],
    ["_system/cli/queryEnvironmentVariables", () => environment.list().map((variable) => ({ ...variable }))],
    ["_system/cli/queryEnvironmentVariables:get", (args) => found(environment, nameIn(args))],
  ]);
}

function found(environment: EnvironmentVariables, name: string | null): JSONValue {
  const variable = environment.list().find((candidate) => candidate.name === name);
  return variable === undefined ? null : { ...variable };
}

function nameIn(args: JSONValue): string | null {
  if (typeof args !== "object" || args === null || Array.isArray(args)) return null;
  return typeof args["name"] === "string" ? args["name"] : null;
}
