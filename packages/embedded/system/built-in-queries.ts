import type { JSONValue } from "convex/values";
import { newestFirst } from "../backup/state-documents.ts";
import type { Engine } from "../engine/model/types.ts";
import type { ComponentPath } from "../names/table-name.ts";
import type { FunctionLog } from "../operations/function-log.ts";
import type { Usage } from "../operations/usage.ts";
import type { FunctionRunner } from "../runtime/contract/function-runner.ts";
import type { FunctionRuntime } from "../runtime/function-runtime.ts";
import { exportTable, importTable } from "../runtime/tables/state-tables.ts";
import type { EnvironmentVariables } from "./environment-variables.ts";
import type { SystemQueries } from "./system-functions.ts";

type DeploymentQueryDeps = {
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
    "_system/cli/queryEnvironmentVariables:get": (transaction, args) => {
      const name = textArg(args, "name");
      return asJson(environment.list(transaction).find((variable) => variable.name === name) ?? null);
    },
  };
}

type ComponentQueryDeps = {
  /** The app, "", and its installed components. A deploy may change them. */
  readonly componentPaths: readonly ComponentPath[];
};

/** The installed components, for `npx convex run --component` and similar. */
export function componentQueries(deps: ComponentQueryDeps): SystemQueries {
  return {
    "_system/frontend/components:list": () =>
      deps.componentPaths.map((path) => ({
        // An installation has no other identifier, and its path never changes.
        id: path,
        name: path === "" ? null : path.slice(path.lastIndexOf("/") + 1),
        path,
        args: {},
        state: "active",
      })),
  };
}

/** Queries of `npx convex export`. */
export function exportQueries(): SystemQueries {
  return {
    "_system/cli/exports:getLatest": (transaction) => {
      const [newest] = newestFirst(transaction, exportTable.name);
      return asJson(newest ?? null);
    },
  };
}

/** Queries of `npx convex import`. */
export function importQueries(): SystemQueries {
  return {
    "_system/cli/queryImport": (transaction, args) => {
      const id = textArg(args, "importId");
      if (id === null || transaction.tableOf(id) !== importTable.name) return null;
      return asJson(transaction.get(id));
    },
    "_system/cli/queryImport:list": (transaction) =>
      newestFirst(transaction, importTable.name).map((row) => ({ ...row })),
  };
}

/**
 * Activity since the process started: runs by function and caller, documents and bytes written by table (including
 * the backend's own tables), and commits; and the runs that have not ended. Not stored in documents, so subscriptions do not follow it.
 */
export function usageQueries(usage: Usage, engine: Pick<Engine, "stats">): SystemQueries {
  return {
    "_system/embedded/usage": () => {
      const { commits, conflicts, writes } = engine.stats();
      const { running } = usage;
      return {
        functions: usage.snapshot(),
        running,
        tables: writes,
        commits,
        conflicts,
      } as unknown as JSONValue;
    },
  };
}

/** The latest runs of functions, oldest first. To follow them, use `npx convex logs`. */
export function logQueries(functionLog: FunctionLog): SystemQueries {
  return {
    "_system/embedded/logs": () => functionLog.latest() as unknown as JSONValue,
  };
}

/** Conflicts of mutations so far. Not stored in documents, so subscriptions do not follow them. */
export function conflictQueries(runtime: Pick<FunctionRuntime, "conflictStats">): SystemQueries {
  return {
    "_system/embedded/conflicts": () => ({ functions: runtime.conflictStats() }) as unknown as JSONValue,
  };
}

function textArg(args: JSONValue, name: string): string | null {
  if (typeof args !== "object" || args === null || Array.isArray(args)) return null;
  const value = args[name];
  return typeof value === "string" ? value : null;
}

function asJson(row: { readonly [field: string]: JSONValue } | null): JSONValue {
  return row === null ? null : { ...row };
}
