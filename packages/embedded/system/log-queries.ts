import type { JSONValue } from "convex/values";
import type { FunctionLog } from "../operations/function-log.ts";
import type { SystemQueries } from "./system-functions.ts";

/** The latest runs of functions, oldest first. To follow them, use `npx convex logs`. */
export function logQueries(functionLog: FunctionLog): SystemQueries {
  return {
    "_system/gleaner/logs": () => functionLog.latest() as unknown as JSONValue,
  };
}
