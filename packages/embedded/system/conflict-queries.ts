import type { JSONValue } from "convex/values";
import type { FunctionRuntime } from "../runtime/function-runtime.ts";
import type { SystemQueries } from "./system-functions.ts";

/** What mutations have lost to each other, as of now. No document says so: a subscription does not follow it. */
export function conflictQueries(runtime: Pick<FunctionRuntime, "conflictStats">): SystemQueries {
  return {
    "_system/gleaner/conflicts": () => ({ functions: runtime.conflictStats() }) as unknown as JSONValue,
  };
}
