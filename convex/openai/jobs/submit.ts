import type { FunctionArgs } from "convex/server";
import { ConvexError } from "convex/values";
import { internal } from "../../_generated/api.js";
import type { ActionCtx } from "../../_generated/server.js";
import { type GaveWay, giveWayKind, type Turn } from "../../model/ledger/portions.ts";
import type { Submitted } from "../../model/requests/submission.ts";
import { isContention, type Outcome, outcomeOf } from "../outcome.ts";
import { sleep } from "../wait/sleep.ts";

export type Submission = FunctionArgs<typeof internal.requests.submit> & { readonly idempotencyKey: string };

/** Waits before further tries of a submission that others have outrun, in ms. */
const contentionWaitsMs = [250, 500, 1_000, 2_000] as const;

/** Calls that find the portions of a key or a budget used up wait for a random time up to this: so one fills them for all. */
const gatherWithinMs = 400;
/** A call that was outrun at another portion, too, waits up to this. */
const nextPortionWithinMs = 100;
/** After so many times a call gives way no more. */
const mostWays = 8;

/**
 * Submits a job, and tries again if others have outrun it. Near the end of a key's credits or of a budget most portions are used up. Then
 * the call gives way, and is told which portion has enough.
 */
export async function submit(
  ctx: Pick<ActionCtx, "runMutation">,
  submission: Submission,
): Promise<Outcome<Submitted>> {
  let turn: Turn | undefined = { shards: {}, gathers: false };
  let handOver = true;
  let ways = 0;
  let tries = 0;
  for (;;) {
    const asked = {
      ...submission,
      ...(handOver ? { handOver } : {}),
      ...(turn === undefined ? {} : { turn }),
    };
    const outcome = await outcomeOf(ctx.runMutation(internal.requests.submit, asked));
    if (outcome.kind !== "failed") return outcome;
    const gave = gaveWayIn(outcome.thrown);
    if (gave !== null) {
      ways += 1;
      turn = ways < mostWays ? await nextTurn(turn, gave, ways) : undefined;
      continue;
    }
    // Handing the job to a waiting device writes that device's rows, as many others do. Queueing it does not. If the first
    // call was committed after all, its idempotency key finds the job.
    const isFirst = handOver;
    handOver = false;
    if (isFirst) continue;
    const waitMs = contentionWaitsMs[tries];
    if (waitMs === undefined || !isContention(outcome.thrown)) return outcome;
    tries += 1;
    await sleep(waitMs * (0.5 + Math.random()));
  }
}

/** Waits until it is the call's turn. */
async function nextTurn(turn: Turn | undefined, { pool, shard }: GaveWay, ways: number): Promise<Turn> {
  const { [pool]: _, ...others } = turn?.shards ?? {};
  if (shard === null) {
    await sleep(gatherWithinMs * Math.random());
    return { shards: others, gathers: true };
  }
  if (ways > 1) await sleep(nextPortionWithinMs * Math.random());
  return { shards: { ...others, [pool]: shard }, gathers: false };
}

function gaveWayIn(thrown: unknown): GaveWay | null {
  if (!(thrown instanceof ConvexError)) return null;
  const raw: unknown = thrown.data;
  // The data may arrive as JSON text, depending on how the call reached us.
  const data: unknown = typeof raw === "string" ? JSON.parse(raw) : raw;
  const isGaveWay = typeof data === "object" && data !== null && "kind" in data && data.kind === giveWayKind;
  return isGaveWay ? (data as GaveWay) : null;
}
