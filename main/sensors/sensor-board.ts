import {
  type ComputerFacts,
  factNames,
  type Known,
  type SensedFact,
  unknown,
} from "../../app/facts/facts.ts";
import { type Found, nothingSensed, type Reading, type Sensed, type Sensor } from "./base/sensor.ts";

type Held = { readonly found: Found; readonly at: number };

/** The last sample of each sensor. If several sensors know a fact, the first in the list counts. */
export class SensorBoard {
  readonly #sensors: readonly Sensor[];
  readonly #held = new Map<Sensor, Held>();

  constructor(sensors: readonly Sensor[]) {
    this.#sensors = sensors;
  }

  /** Returns whether a fact has changed. */
  put(sensor: Sensor, found: Found, at: number): boolean {
    const before = sensor.facts.map((name) => this.value(name));
    this.#held.set(sensor, { found, at });
    return sensor.facts.some((name, index) => !isSame(this.value(name), before[index] ?? unknown));
  }

  /** Updates some facts of a sensor that reports changes, and keeps its other facts. */
  merge(sensor: Sensor, found: Found, at: number): boolean {
    return this.put(sensor, { ...this.#held.get(sensor)?.found, ...found }, at);
  }

  forget(sensor: Sensor): void {
    this.#held.delete(sensor);
  }

  /** Whether a sensor before this one in the list knows it. */
  isKnownBefore(sensor: Sensor, name: SensedFact): boolean {
    for (const other of this.#sensors) {
      if (other === sensor) return false;
      if (this.#held.get(other)?.found[name]?.known === true) return true;
    }
    return false;
  }

  value<F extends SensedFact>(name: F): Sensed[F] {
    return this.#first(this.#sensors, name);
  }

  #first<F extends SensedFact>(sensors: readonly Sensor[], name: F): Sensed[F] {
    for (const sensor of sensors) {
      const value = this.#held.get(sensor)?.found[name];
      if (value?.known === true) return value;
    }
    return nothingSensed[name];
  }

  /** The facts of sensors that are sampled regularly. Samples of the others may be long out of date. */
  facts(isRegular: (sensor: Sensor) => boolean): ComputerFacts {
    const regular = this.#sensors.filter(isRegular);
    const all = factNames.map((name) => [name, this.#first(regular, name)]);
    return Object.fromEntries(all) as ComputerFacts;
  }

  reading(name: SensedFact): Reading {
    const asked: string[] = [];
    const sensors = this.#sensors.filter((sensor) => sensor.facts.includes(name));
    let at: number | null = null;
    for (const sensor of sensors) {
      const held = this.#held.get(sensor);
      if (held === undefined) continue;
      const value = held.found[name];
      if (value?.known === true) return { value, source: sensor.source, at: held.at };
      asked.push(sensor.source);
      at = Math.max(at ?? 0, held.at);
    }
    const none = sensors.length === 0 ? "no source here" : "not checked";
    return { value: unknown, source: asked.length === 0 ? none : asked.join(", "), at };
  }
}

function isSame(one: Known<unknown>, other: Known<unknown>): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}
