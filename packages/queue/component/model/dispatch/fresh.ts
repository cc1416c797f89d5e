import type { FunctionHandle } from "convex/server";
import { convexToJson, type Value } from "convex/values";
import type { ClaimEvent } from "../../../shared/validators.ts";
import type { Doc, MutationCtx } from "../builders.ts";
import { defined } from "../load.ts";

/** It is stored in the attempt. */
const maxChars = 4_096;

/**
 * Asks the app's `onClaim` for a job's newest data, in this transaction. If it throws or its value is too large, the
 * attempt goes on without: a mistake in it must not keep the job, or the other jobs of this call, from workers.
 */
export async function freshOf(
  ctx: MutationCtx,
  { _id: jobId, scope, kind, context, onClaim }: Doc<"jobs">,
): Promise<Value | undefined> {
  if (onClaim === undefined) return undefined;
  try {
    const handle = onClaim as FunctionHandle<"query", ClaimEvent, Value | undefined>;
    const value = await ctx.runQuery(handle, { scope, jobId, kind, ...defined({ context }) });
    if (value === undefined || value === null) return undefined;
    if (JSON.stringify(convexToJson(value)).length <= maxChars) return value;
    console.error(`onClaim of ${kind} returned more than ${String(maxChars)} characters of JSON.`);
  } catch (error) {
    console.error(`onClaim of ${kind} failed:`, error instanceof Error ? error.name : typeof error);
  }
  return undefined;
}
