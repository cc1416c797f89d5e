import { setTimeout as sleep } from "node:timers/promises";
import type { Farm } from "../../launch/farm/farm.ts";
import { sendBatch } from "../requests/files.ts";
import type { Requester } from "../requests/requester.ts";
import { type StandIn, tasks } from "../requests/stand-in.ts";
import { collisionsOf } from "../support/admin.ts";
import { type Completions, completionsBetween } from "./completions.ts";

const perSecond = 200;
const mostRounds = 5;
/** Workers of the first round that end their jobs one after the other. */
const mostAlone = 20;
/** The mutations that the embedded backend runs at once. Others wait for their turn. */
const backendRunsAtOnce = 32;
/** Workers that lost the race for a job wait for the next one again after this time. */
const settleMs = 2_000;
const stuckMs = 120_000;

export type AtTwoHundred = {
  /** As many as the machine completes. They are sent 200 a second in any case. */
  readonly completionsPerSecond: number;
  /** In all tables, while the stream flows. */
  readonly conflictsPerCompletion: number;
  readonly rounds: number;
  readonly completions: number;
  /** The conflicts in the queue's tables. */
  readonly queueConflicts: number;
  /** The completions under way at a time: as measured, and if 200 a second took no longer than the fastest one by itself. */
  readonly underWay: { readonly measured: number; readonly needed: number };
};

type Timed = { readonly sentAt: number; readonly endedAt: number };
type Round = Completions & { readonly times: readonly Timed[] };

/** Has each worker hold a job of one key, and then lets them end these, 200 a second, in several rounds. */
export async function measureAtTwoHundred(
  farm: Farm,
  requester: Requester,
  standIns: readonly StandIn[],
  withinMs: number,
): Promise<AtTwoHundred> {
  const endsAt = performance.now() + withinMs;
  const hold = async (): Promise<void> => {
    await sendBatch(farm, requester, standIns.length, tasks.hold);
    await until(() => standIns.every((each) => each.held() === 1));
    await sleep(settleMs);
  };
  await hold();
  const alone = standIns.slice(0, mostAlone);
  const lone: number[] = [];
  for (const standIn of alone) lone.push(secondsOf(await complete(standIn)));
  await Promise.all(standIns.slice(alone.length).map(complete));
  const rounds: Round[] = [];
  while (rounds.length < mostRounds && (rounds.length === 0 || performance.now() < endsAt)) {
    await hold();
    rounds.push(await playRound(farm, standIns));
  }
  const sum = (of: (round: Round) => number): number => rounds.reduce((total, each) => total + of(each), 0);
  const [completions, seconds] = [sum((round) => round.completions), sum(({ times }) => lengthOf(times))];
  const busySeconds = sum(({ times }) => times.reduce((total, each) => total + secondsOf(each), 0));
  return {
    completionsPerSecond: completions / seconds,
    conflictsPerCompletion: sum(({ ofApp, ofQueue }) => ofApp + ofQueue) / completions,
    rounds: rounds.length,
    completions,
    queueConflicts: sum(({ ofQueue }) => ofQueue),
    underWay: {
      measured: Math.min(backendRunsAtOnce, busySeconds / seconds),
      needed: perSecond * Math.min(...lone),
    },
  };
}

/**
 * Sends the completions evenly, whether the earlier ones have ended or not. One worker ends its job before: the first end of a batch
 * schedules the count of the others.
 */
async function playRound(farm: Farm, standIns: readonly StandIn[]): Promise<Round> {
  const [first, ...others] = standIns;
  if (first !== undefined) await complete(first);
  const before = await collisionsOf(farm.backend.url, farm.adminKey);
  const startedAt = performance.now();
  const times = await Promise.all(
    others.map(async (standIn, at) => {
      await sleep(Math.max(0, startedAt + (1_000 * at) / perSecond - performance.now()));
      return await complete(standIn);
    }),
  );
  return { ...completionsBetween(before, await collisionsOf(farm.backend.url, farm.adminKey)), times };
}

/** Answers the job that a worker holds. */
async function complete(standIn: StandIn): Promise<Timed> {
  const { length } = standIn.completedAt;
  const sentAt = performance.now();
  standIn.release();
  await until(() => standIn.completedAt.length > length);
  return { sentAt, endedAt: standIn.completedAt[length] ?? sentAt };
}

function secondsOf({ sentAt, endedAt }: Timed): number {
  return (endedAt - sentAt) / 1_000;
}

function lengthOf(times: readonly Timed[]): number {
  return secondsOf({
    sentAt: Math.min(...times.map(({ sentAt }) => sentAt)),
    endedAt: Math.max(...times.map(({ endedAt }) => endedAt)),
  });
}

async function until(isDone: () => boolean): Promise<void> {
  const by = performance.now() + stuckMs;
  while (!isDone()) {
    if (performance.now() > by) throw new Error("The workers did not claim or complete their jobs in time.");
    await sleep(10);
  }
}
