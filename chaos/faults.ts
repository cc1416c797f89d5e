import { setTimeout as sleep } from "node:timers/promises";
import { assertNever } from "../app/assert-never.ts";
import type { Child } from "../launch/core/child.ts";
import type { Farm } from "../launch/farm/farm.ts";
import type { Watcher } from "../launch/farm/watcher.ts";
import type { Random } from "./random.ts";

export const faultKinds = ["kill-donor", "crash-backend", "freeze-donor"] as const;
export type FaultKind = (typeof faultKinds)[number];

export type Scene = {
  readonly farm: Farm;
  /** The donors that run now. A killed one is replaced by a new one. */
  readonly donors: Child[];
  readonly watcher: Watcher;
  readonly random: Random;
  /** Called right after the fault, before the recovery. */
  readonly onStruck: () => void;
};

/** Longer than a lease. A frozen donor loses its job, and its late result must be refused. */
const freezeMs = 46_000;

/** Injects the fault while a device holds a job. */
export async function inject(kind: FaultKind, scene: Scene): Promise<void> {
  const { farm, donors, watcher, random, onStruck } = scene;
  await watcher.untilDevices((devices) => devices.some((device) => device.jobsNow > 0), 30_000);
  await sleep(random.below(50));
  const index = random.below(donors.length);
  const victim = donors[index];
  if (victim === undefined) return;
  switch (kind) {
    case "kill-donor":
      victim.kill();
      onStruck();
      donors[index] = await farm.startDonor(`${victim.name}+`);
      return;
    case "freeze-donor":
      process.kill(victim.pid, "SIGSTOP");
      onStruck();
      await sleep(freezeMs);
      process.kill(victim.pid, "SIGCONT");
      return;
    case "crash-backend":
      onStruck();
      return farm.restartBackend("crash");
    default:
      return assertNever(kind);
  }
}
