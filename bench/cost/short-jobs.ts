import { setTimeout as sleep } from "node:timers/promises";
import { cloud, type Site, withSite } from "../fleet/site.ts";
import type { SideName } from "../side.ts";
import { between, totalsOf, usageOf } from "../support/usage.ts";
import type { CostFigures } from "./figures.ts";

const jobs = 200;
const jobMs = 20;
/** By then every lease has expired and its scheduled check has run. */
const settleMs = 70_000;

type ShortJobFigures = Pick<
  CostFigures,
  "callsPerJob" | "docsWrittenPerJob" | "queryRunsPerJob" | "scheduledRunsPerJob"
>;

/** One idle worker. Each job is submitted after the previous one ended, so no completion assigns a job. */
export function measureShortJobs(name: SideName, folder: string): Promise<ShortJobFigures> {
  return withSite(name, folder, cloud, async (site) => {
    let onCompleted: () => void = () => undefined;
    const fleet = await site.startWorkers(1, { onCompleted: () => onCompleted() });
    const run = async (number: number): Promise<void> => {
      await fleet.quiet();
      const completed = new Promise<void>((resolve) => (onCompleted = resolve));
      await submitShort(site, number);
      await completed;
    };
    await run(0);
    await fleet.quiet();
    const before = await usageOf(site.url);
    for (let number = 1; number <= jobs; number += 1) await run(number);
    await fleet.quiet();
    const called = totalsOf(between(before, await usageOf(site.url)));
    await sleep(settleMs);
    const settled = totalsOf(between(before, await usageOf(site.url)));
    return {
      callsPerJob: called.calls / jobs,
      queryRunsPerJob: called.queryRuns / jobs,
      docsWrittenPerJob: settled.documents / jobs,
      scheduledRunsPerJob: settled.scheduledRuns / jobs,
    };
  });
}

function submitShort(site: Site, number: number): Promise<string> {
  return site.submit({ number, kind: "sleep", ms: jobMs });
}
