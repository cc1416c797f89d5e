import { setTimeout as sleep } from "node:timers/promises";
import type { Farm } from "../../launch/farm/farm.ts";
import { msPerTick, ticksOf } from "../support/process-tree.ts";
import { usageOf } from "../support/usage.ts";
import type { Requester } from "./requester.ts";
import { type StandIn, tasks } from "./stand-in.ts";

export type Crowd = {
  /** Calls that waited at the same time. */
  readonly waiting: number;
  /** Of one core, by the backend, while nothing happens to any of them. Null outside Linux. */
  readonly cpuPercent: number | null;
};

const most = 600;
const atOnce = 20;
/** A slow machine opens fewer. */
const openWithinMs = 15_000;
const countedWithinMs = 20_000;
const measuredMs = 8_000;

/** The backend's processor time while many calls wait for one busy device. */
export async function measureCrowd(farm: Farm, requester: Requester, standIn: StandIn): Promise<Crowd> {
  await requester.chat(tasks.hold, { respondAsync: true });
  const countedBefore = await counted(farm);
  const leave = new AbortController();
  const until = performance.now() + openWithinMs;
  let waiting = 0;
  const calls: Promise<unknown>[] = [];
  while (waiting < most && performance.now() < until) {
    for (let each = 0; each < atOnce; each += 1) {
      waiting += 1;
      calls.push(requester.chat(tasks.atOnce, { signal: leave.signal }).catch(() => null));
    }
    // Each submission takes some milliseconds.
    await sleep(atOnce * 20);
  }
  await untilCounted(farm, countedBefore + waiting);
  const cpuPercent = await cpuPercentOf(farm.backend.child.pid);
  leave.abort();
  await Promise.all(calls);
  standIn.release();
  return { waiting, cpuPercent };
}

/** Each call counts as waiting five seconds after its submission. The last ones have been submitted then. */
async function untilCounted(farm: Farm, calls: number): Promise<void> {
  const until = performance.now() + countedWithinMs;
  while ((await counted(farm)) < calls && performance.now() < until) await sleep(1_000);
}

async function counted({ backend, adminKey }: Farm): Promise<number> {
  const { functions } = await usageOf(backend.url, adminKey);
  return functions.find((each) => each.function === "requests.js:beginWaitAdmitted")?.runs ?? 0;
}

async function cpuPercentOf(pid: number): Promise<number | null> {
  if (process.platform !== "linux") return null;
  const before = ticksOf([pid]);
  const startedAt = performance.now();
  await sleep(measuredMs);
  return ((ticksOf([pid]) - before) * msPerTick * 100) / (performance.now() - startedAt);
}
