import { setTimeout as sleep } from "node:timers/promises";
import { cloud, type Site, withSite } from "../fleet/site.ts";
import type { SideName } from "../side.ts";
import { totalsOf } from "../support/usage.ts";
import type { CostFigures } from "./figures.ts";

const devices = 20;
/** Devices start over this time, so that their heartbeats are spread evenly. */
const workingSpreadMs = 20_000;
const idleSpreadMs = 60_000;
/** A multiple of both sides' cadences: 15, 20 and 60 s. */
const countedMs = 120_000;
const hourMs = 3_600_000;
const longJobMs = 2 * hourMs;

type WorkingFigures = Pick<
  CostFigures,
  "docsWrittenPerWorkingHour" | "callsPerWorkingHour" | "scheduledRunsPerWorkingHour" | "rerunsPerHeartbeat"
>;

/** Each device works on one long watched job. Counts its calls for a while. */
export function measureWorkingHour(name: SideName, folder: string): Promise<WorkingFigures> {
  return withSite(name, folder, cloud, async (site) => {
    let started = 0;
    await site.startWorkers(devices, { onStarted: () => (started += 1) });
    for (let number = 1; number <= devices; number += 1) {
      const jobId = await site.submit({ number, kind: "sleep", ms: longJobMs });
      site.side.watch(site.client, jobId, () => undefined);
      await sleep(workingSpreadMs / devices);
    }
    while (started < devices) await sleep(50);
    // Starts counting after the calls that follow a claim.
    await sleep(workingSpreadMs / 4);
    const working = totalsOf(await site.counted(() => sleep(countedMs)));
    const perHour = (count: number): number => (count / devices) * (hourMs / countedMs);
    return {
      docsWrittenPerWorkingHour: perHour(working.documents),
      callsPerWorkingHour: perHour(working.calls),
      scheduledRunsPerWorkingHour: perHour(working.scheduledRuns),
      rerunsPerHeartbeat: await rerunsPerHeartbeat(site),
    };
  });
}

/** Half of the devices work on watched jobs; the other half waits for work. */
async function rerunsPerHeartbeat(site: Site): Promise<number> {
  const idle = await site.startWorkers(devices);
  await idle.quiet();
  await sleep(workingSpreadMs / 4);
  const usage = await site.counted(() => sleep(countedMs / 2));
  return totalsOf(usage).queryRuns / site.side.heartbeatsIn(usage.functions);
}

/** Devices that wait while no work comes. */
export function measureIdleHour(
  name: SideName,
  folder: string,
): Promise<Pick<CostFigures, "callsPerIdleHour">> {
  return withSite(name, folder, cloud, async (site) => {
    const fleet = await site.startWorkers(devices, {}, idleSpreadMs);
    await fleet.quiet();
    const { calls } = totalsOf(await site.counted(() => sleep(countedMs)));
    return { callsPerIdleHour: (calls / devices) * (hourMs / countedMs) };
  });
}
