import {
  type ComputerFacts,
  type Known,
  type SensedFact,
  unknown,
  unknownComputer,
} from "../../../app/facts/facts.ts";
import { neededFacts, type Rules } from "../../../app/policy/rules.ts";
import { deniedGpus } from "../../../app/policy/rules/limits.ts";

/** Sensors report the facts about this computer, and whether it is going to sleep. */
export type Sensed = ComputerFacts & { readonly suspended: Known<boolean> };

export const nothingSensed: Sensed = { ...unknownComputer, suspended: unknown };

/** Some facts from one sample. A missing fact is unknown to that sensor. */
export type Found = Partial<Sensed>;

/** The facts that the rules depend on now. Other facts are not worth a wake-up. */
export type Needs = {
  readonly facts: ReadonlySet<SensedFact>;
  /** The rules' excluded programs. */
  readonly programs: readonly string[];
  /** GPUs that the rules exclude, by the system's number. Their load does not matter. */
  readonly deniedGpus?: readonly number[];
  /** A job is about to start, or the runner lives. */
  readonly running: boolean;
};

/** The facts to sample under these rules. */
export function neededBy(rules: Rules, running: boolean): Needs {
  return {
    facts: neededFacts(rules),
    programs: rules.excludedPrograms,
    deniedGpus: deniedGpus(rules.gpus),
    running,
  };
}

/**
 * One source of facts. It never throws and never guesses: it leaves out what it does not know.
 * To add a sensor, declare it in a file and name it in its platform's list (platform-sensors.ts, linux/linux-sensors.ts).
 */
export type Sensor = {
  /** The name that people know: "UPower", "/proc/meminfo". */
  readonly source: string;
  readonly facts: readonly SensedFact[];
  /** Milliseconds until a new sample is worth its cost. Null if the sensor reports every change by itself. */
  readonly everyMs: number | null;
  /** How often a sample starts a subprocess, in milliseconds. */
  readonly subprocessEveryMs?: number;
  /** True for a costly sensor that is sampled only while a job starts or the runner lives. */
  readonly onlyWhileRunning?: boolean;
  readonly sample?: (needs: Needs) => Found | Promise<Found>;
  /** Reports changes from now on, until the returned function is called. */
  readonly follow?: (report: (found: Found) => void) => () => void;
};

export type Reading<T = unknown> = {
  readonly value: Known<T>;
  /** The source of the value. For an unknown value, the sources that were asked. */
  readonly source: string;
  /** Time of the sample, in milliseconds since the epoch. Null if no rule needs the fact or no source exists here. */
  readonly at: number | null;
};

export type Readings = { readonly [F in SensedFact]: Reading };
