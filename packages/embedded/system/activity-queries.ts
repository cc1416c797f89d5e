import type { JSONValue } from "convex/values";
import type { Engine } from "../engine/model/types.ts";
import type { FunctionLog } from "../operations/function-log.ts";
import type { Usage } from "../operations/usage.ts";
import type { FunctionRuntime } from "../runtime/function-runtime.ts";
import type { SystemQueries } from "./system-functions.ts";

/**
 * Activity since the process started: runs by function and caller, documents and bytes written by table (including
 * the backend's own tables), and commits. Not stored in documents, so subscriptions do not follow it.
 */
export function usageQueries(usage: Usage, engine: Pick<Engine, "stats">): SystemQueries {
  return {
    "_system/gleaner/usage": () => {
      const { commits, conflicts, writes } = engine.stats();
      return { functions: usage.snapshot(), tables: writes, commits, conflicts } as unknown as JSONValue;
    },
  };
}

/** The latest runs of functions, oldest first. To follow them, use `npx convex logs`. */
export function logQueries(functionLog: FunctionLog): SystemQueries {
  return {
    "_system/gleaner/logs": () => functionLog.latest() as unknown as JSONValue,
  };
}

/** Conflicts of mutations so far. Not stored in documents, so subscriptions do not follow them. */
export function conflictQueries(runtime: Pick<FunctionRuntime, "conflictStats">): SystemQueries {
  return {
    "_system/gleaner/conflicts": () => ({ functions: runtime.conflictStats() }) as unknown as JSONValue,
  };
}
