import type { Log } from "../log.ts";
import type { IdleSensor } from "./base/idle.ts";
import { type OwnCpuTime, ownCpuTime } from "./base/own-use.ts";
import type { Sensor } from "./base/sensor.ts";
import { type FactsSource, gatherFacts } from "./facts-source.ts";
import { platformSensors } from "./platform-sensors.ts";

type ThisComputer = {
  /** The disk that holds the models. */
  readonly dataDir: string;
  readonly idle: IdleSensor;
  /** Facts that only the shell reports. */
  readonly shellSensors: readonly Sensor[];
  /** CPU time of this program and its runner, if the shell knows it. Not used on Linux. */
  readonly ownCpuTime: OwnCpuTime | undefined;
  readonly runnerPid: () => number | undefined;
  readonly log: Log;
};

/** The facts about this computer, from all its sources. Asks nothing before `start`. */
export function factsOfThisComputer(computer: ThisComputer): FactsSource {
  const { dataDir, idle, shellSensors, runnerPid, log } = computer;
  const measured = ownCpuTime(runnerPid);
  const { platform, env } = process;
  return gatherFacts({
    idle,
    others: platformSensors({
      platform,
      env,
      dataDir,
      runnerPid,
      ownCpuTime: platform === "linux" ? measured : (computer.ownCpuTime ?? measured),
      shell: shellSensors,
      log,
    }),
  });
}
