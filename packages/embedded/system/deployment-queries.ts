import type { JSONValue } from "convex/values";
import type { ComponentPath } from "../names/table-name.ts";
import type { FunctionRunner } from "../runtime/contract/function-runner.ts";
import type { EnvironmentVariable, EnvironmentVariables } from "./environment-variables.ts";
import type { SystemQueries } from "./system-functions.ts";

export type DeploymentQueryDeps = {
  readonly runner: Pick<FunctionRunner, "functionSpecs">;
  readonly environment: EnvironmentVariables;
};

/** The deployment's functions, URLs and environment variables. */
export function deploymentQueries({ runner, environment }: DeploymentQueryDeps): SystemQueries {
  return {
    "_system/cli/modules:apiSpec": (_, __, component) =>
      runner.functionSpecs(component).map((spec) => ({
        identifier: spec.identifier,
        functionType: spec.functionType,
        visibility: { kind: spec.visibility },
        args: spec.args,
        returns: spec.returns,
      })),
    "_system/cli/convexUrl:cloudUrl": () => environment.all["CONVEX_CLOUD_URL"] ?? null,
    "_system/cli/convexUrl:siteUrl": () => environment.all["CONVEX_SITE_URL"] ?? null,
    "_system/cli/queryEnvironmentVariables": (transaction) =>
      environment.list(transaction).map((variable) => ({ ...variable })),
    "_system/cli/queryEnvironmentVariables:get": (transaction, args) =>
      found(environment.list(transaction), nameIn(args)),
  };
}

function found(variables: readonly EnvironmentVariable[], name: string | null): JSONValue {
  const variable = variables.find((candidate) => candidate.name === name);
  return variable === undefined ? null : { ...variable };
}

function nameIn(args: JSONValue): string | null {
  if (typeof args !== "object" || args === null || Array.isArray(args)) return null;
  return typeof args["name"] === "string" ? args["name"] : null;
}

type ComponentQueryDeps = {
  /** The app, "", and its installed components. */
  readonly componentPaths: readonly ComponentPath[];
};

/** The installed components, for `npx convex run --component` and similar. */
export function componentQueries({ componentPaths }: ComponentQueryDeps): SystemQueries {
  return {
    "_system/frontend/components:list": () =>
      componentPaths.map((path) => ({
        // An installation has no other identifier, and its path never changes.
        id: path,
        name: path === "" ? null : path.slice(path.lastIndexOf("/") + 1),
        path,
        args: {},
        state: "active",
      })),
  };
}
