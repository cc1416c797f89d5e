import {
  type ComputerFacts,
  type Facts,
  isTrue,
  type SensedFact,
  sensedFacts,
} from "../../app/facts/facts.ts";
import type { IdleSensor } from "./base/idle.ts";
import type { Needs, Reading, Readings, Sensor } from "./base/sensor.ts";
import { minuteOfWeek, TimeZone } from "./local-time.ts";
import { SensorBoard } from "./sensor-board.ts";
import { SensorSchedule } from "./sensor-schedule.ts";

type Sensors = {
  readonly idle: IdleSensor;
  /** For each fact, the best source comes first. A later source is asked only for facts that no earlier one knows. */
  readonly others: readonly Sensor[];
};

export type FactsSource = {
  readonly read: () => ComputerFacts & Pick<Facts, "minuteOfWeek" | "suspended">;
  /** Every fact with its source and its time. */
  readonly readings: () => Readings;
  /**
   * The facts that the rules need from now on. Cheap to call again with the same needs. Resolves after the first sample of
   * facts that were not needed before.
   */
  readonly need: (needs: Needs) => Promise<void>;
  /** Resolves after the first sample of everything needed. `onChange` is called whenever a fact changed. */
  readonly start: (needs: Needs, onChange: () => void) => Promise<void>;
  /** Samples all sources, also for facts that no rule needs, because a person wants to see them. */
  readonly sampleAll: (programs: readonly string[]) => Promise<void>;
  /** Samples only these facts: something else reported that they changed. */
  readonly sample: (...facts: readonly SensedFact[]) => Promise<void>;
  /** Samples the GPU once. Its facts are otherwise sampled only at work. */
  readonly lookAtGpu: () => Promise<Pick<ComputerFacts, "otherGpuLoad" | "vramFreeMb">>;
  readonly stop: () => void;
};

/** Samples each sensor as rarely as it allows, and only for needed facts. Keeps the last sample of each. */
export function gatherFacts({ idle, others }: Sensors): FactsSource {
  let onChange = (): void => undefined;
  const zone = new TimeZone();
  const board = new SensorBoard(others);
  const schedule = new SensorSchedule(others, board, () => onChange());

  const readings = (): Readings => {
    const all = sensedFacts.map((name): [SensedFact, Reading] => [name, board.reading(name)]);
    const now = Date.now();
    return {
      ...(Object.fromEntries(all) as Readings),
      idleSeconds: { value: idle.sample(), source: idle.source(), at: now },
    };
  };
  return {
    read: () => {
      const now = new Date();
      zone.follow(now.getTime());
      return {
        ...board.facts((sensor) => schedule.isRegular(sensor)),
        idleSeconds: idle.sample(),
        suspended: isTrue(board.value("suspended")),
        minuteOfWeek: minuteOfWeek(now),
      };
    },
    readings,
    need: (needs) => schedule.need(needs),
    start: async (needs, listener) => {
      onChange = listener;
      idle.start?.(() => onChange());
      await schedule.start(needs);
    },
    sampleAll: (programs) => schedule.sampleAll(programs),
    sample: (...facts) => schedule.sample(facts),
    lookAtGpu: async () => {
      await schedule.sampleOnce(["otherGpuLoad", "vramFreeMb"]);
      return { otherGpuLoad: board.value("otherGpuLoad"), vramFreeMb: board.value("vramFreeMb") };
    },
    stop: () => {
      onChange = () => undefined;
      idle.stop?.();
      schedule.stop();
    },
  };
}
