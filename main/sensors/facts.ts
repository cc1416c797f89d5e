import { type Facts, type Known, unknown } from "../../app/policy/facts.ts";
import type { IdleSensor } from "./idle.ts";
import type { PowerReading } from "./power.ts";
import type { Sensor } from "./sensor.ts";

export type Sensors = {
  readonly idle: IdleSensor;
  readonly power: Sensor<PowerReading>;
  readonly otherCpuLoad: Sensor<number>;
};

/** The part of the facts that is about the computer. */
export type ComputerFacts = Pick<Facts, "idleSeconds" | "power" | "batteryPercent" | "otherCpuLoad">;

export type FactsSource = {
  readonly read: () => ComputerFacts;
  /** Resolves after the first sample of everything. `onSample` is called whenever a sample came in. */
  readonly start: (onSample: () => void) => Promise<void>;
  /** Asks for the power's state now: when the system said that it changed. */
  readonly samplePower: () => Promise<void>;
  readonly stop: () => void;
};

/** Samples each sensor as seldom as it asks, and holds the last of each. */
export function gatherFacts(sensors: Sensors): FactsSource {
  let power: Known<PowerReading> = unknown;
  let otherCpuLoad: Known<number> = unknown;
  const timers: NodeJS.Timeout[] = [];
  let onSample = (): void => undefined;

  const samplePower = async (): Promise<void> => {
    power = await sensors.power.sample();
    onSample();
  };
  const sampleLoad = async (): Promise<void> => {
    otherCpuLoad = await sensors.otherCpuLoad.sample();
    onSample();
  };
  return {
    read: () => ({
      idleSeconds: sensors.idle.sample(),
      power: power.known ? power.value.power : unknown,
      batteryPercent: power.known ? power.value.batteryPercent : unknown,
      otherCpuLoad,
    }),
    start: async (listener) => {
      onSample = listener;
      timers.push(setInterval(() => void samplePower(), sensors.power.everyMs));
      timers.push(setInterval(() => void sampleLoad(), sensors.otherCpuLoad.everyMs));
      await Promise.all([samplePower(), sampleLoad()]);
    },
    samplePower,
    stop: () => {
      for (const timer of timers.splice(0)) clearInterval(timer);
      onSample = () => undefined;
    },
  };
}
