import {
  type FunctionArgs,
  type FunctionReference,
  getFunctionName,
  makeFunctionReference,
} from "convex/server";
import type { Value } from "convex/values";
import { pollIntervalMs, type WaitStage } from "../../../app/jobs/poll-interval.ts";
import type { internal } from "../../_generated/api.js";
import type { ActionCtx } from "../../_generated/server.js";
import { sleep } from "./sleep.ts";

/** Functions see this variable only on the embedded backend. Other projects, which have no types of Node, import these types. */
declare const process: { readonly env: { readonly CONVEX_EMBEDDED_WAIT_FOR_CHANGE?: string } };

export type WatchArgs = FunctionArgs<typeof internal.requests.watchAdmitted>;

/** A query that tells the state, and its arguments. */
type Watched = {
  readonly query: FunctionReference<"query", "internal">;
  readonly args: Readonly<Record<string, Value>>;
};
type Wait = { query: string; args: Watched["args"]; withinMs: number };

/** So often a wait goes on, for example to send a comment to its client: at first after the least time, later less often. */
const goesOnAfterMs = { least: 1_000, most: 5_000 } as const;

/**
 * Waits until the state of a job or a call may have changed; false if it surely has not. An action cannot subscribe, so it polls. The
 * embedded backend wakes it instead, by a change of what the query has read.
 * @param mostMs the longest time that it may wait
 */
export async function changes(
  ctx: ActionCtx,
  watched: Watched,
  stage: { readonly name: WaitStage; readonly since: number },
  mostMs: number,
): Promise<boolean> {
  const now = Date.now();
  const sinceMs = now - stage.since;
  const waitForChange = process.env.CONVEX_EMBEDDED_WAIT_FOR_CHANGE ?? "";
  if (waitForChange === "") {
    await sleep(Math.min(mostMs, pollIntervalMs(stage.name, sinceMs)));
    return true;
  }
  const reference = makeFunctionReference<"action", Wait, boolean>(waitForChange);
  const query = getFunctionName(watched.query);
  const { least, most } = goesOnAfterMs;
  const withinMs = Math.min(mostMs, most, Math.max(least, Math.floor(sinceMs / 2)));
  return await ctx.runAction(reference, { query, args: watched.args, withinMs });
}
