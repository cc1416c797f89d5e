import type { JSONValue } from "convex/values";
import type { Engine } from "../engine/model/types.ts";
import type { Usage } from "../operations/usage.ts";
import type { SystemQueries } from "./system-functions.ts";

/**
 * What the deployment has been asked for since the process started: runs by function and caller, documents and
 * bytes written by table (the backend's own among them), commits. No document says so: a subscription does not
 * follow it.
 */
export function usageQueries(usage: Usage, engine: Pick<Engine, "stats">): SystemQueries {
  return {
    "_system/gleaner/usage": () => {
      const { commits, conflicts, writes } = engine.stats();
      return { functions: usage.snapshot(), tables: writes, commits, conflicts } as unknown as JSONValue;
    },
  };
}
