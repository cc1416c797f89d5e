import { setTimeout as sleep } from "node:timers/promises";
import type { Farm } from "../../launch/farm/farm.ts";
import { between, type Usage, usageOf } from "../support/usage.ts";
import { leastResidentBytes } from "./files.ts";
import type { Requester } from "./requester.ts";
import { type StandIn, tasks } from "./stand-in.ts";

/** Runs of functions, by name and caller, the most frequent first. */
export type Calls = { readonly total: number; readonly byFunction: { readonly [name: string]: number } };

const minuteMs = 60_000;
/** A laptop's speed with a small model. */
const tokensPerSecond = 16;

/** Gives the device a job that it holds until it is released. After the call, the rate limiter still runs for two seconds. */
export async function holdDevice(requester: Requester): Promise<void> {
  await requester.chat(tasks.hold, { respondAsync: true });
  await sleep(6_000);
}

/** All runs of functions while a device holds a job and nobody calls, and the backend's least memory meanwhile. */
export async function measureQuietMinute(
  farm: Farm,
): Promise<{ readonly calls: Calls; readonly residentBytes: number }> {
  let least = Infinity;
  const calls = await countRuns(farm, async () => {
    least = await leastResidentBytes(farm.backend.child.pid, minuteMs);
  });
  return { calls, residentBytes: least };
}

/** All runs of functions from a call until it has waited a minute for the device that holds a job. Then both jobs end. */
export async function countWaitingMinute(farm: Farm, requester: Requester, standIn: StandIn): Promise<Calls> {
  const before = await usageOf(farm.backend.url, farm.adminKey);
  const answer = requester.chat(tasks.atOnce);
  await sleep(minuteMs);
  const calls = runsSince(before, await usageOf(farm.backend.url, farm.adminKey));
  standIn.release();
  await (await answer).text();
  return calls;
}

/** All runs of functions from a streamed call to its end, a minute later. */
export function countStreamedMinute(farm: Farm, requester: Requester): Promise<Calls> {
  return countRuns(farm, async () => {
    const task = tasks.write((minuteMs / 1_000) * tokensPerSecond, tokensPerSecond);
    await (await requester.chat(task, { stream: true })).text();
  });
}

/** The runs without those that a quiet minute has anyway. */
export function beside(calls: Calls, quiet: Calls): Calls {
  const left = Object.entries(calls.byFunction)
    .map(([name, runs]) => [name, runs - (quiet.byFunction[name] ?? 0)] as const)
    .filter(([, runs]) => runs > 0);
  return callsOf(left);
}

async function countRuns({ backend, adminKey }: Farm, work: () => Promise<void>): Promise<Calls> {
  const before = await usageOf(backend.url, adminKey);
  await work();
  return runsSince(before, await usageOf(backend.url, adminKey));
}

function runsSince(before: Usage, after: Usage): Calls {
  const { functions } = between(before, after);
  return callsOf(
    functions
      .filter(({ runs }) => runs > 0)
      .map((each) => [`${each.function} (${each.caller.toLowerCase()})`, each.runs] as const),
  );
}

function callsOf(runs: readonly (readonly [name: string, runs: number])[]): Calls {
  return {
    total: runs.reduce((sum, [, count]) => sum + count, 0),
    byFunction: Object.fromEntries([...runs].sort(([, a], [, b]) => b - a)),
  };
}
