import { isTrue, type SensedFact, sensedFacts } from "../../app/facts/facts.ts";
import type { Found, Needs, Sensor } from "./base/sensor.ts";
import type { SensorBoard } from "./sensor-board.ts";

/** Samples that are due within this time of each other share one wake-up. */
const togetherMs = 1_000;

const nothing: Needs = { facts: new Set(), programs: [], running: false };

/** Runs the sensors whose facts are needed, on one timer for all of them. */
export class SensorSchedule {
  readonly #sensors: readonly Sensor[];
  readonly #board: SensorBoard;
  readonly #onChange: () => void;
  /** In `performance.now()` time, so that a clock that is set back does not delay samples. */
  readonly #dueAt = new Map<Sensor, number>();
  readonly #unfollow = new Map<Sensor, () => void>();
  #needs: Needs = nothing;
  #timer: NodeJS.Timeout | undefined;
  #running = false;
  /** The first samples of the sensors that are needed now. */
  #arranged: Promise<void> = Promise.resolve();

  constructor(sensors: readonly Sensor[], board: SensorBoard, onChange: () => void) {
    this.#sensors = sensors;
    this.#board = board;
    this.#onChange = onChange;
  }

  async start(needs: Needs): Promise<void> {
    this.#running = true;
    this.#needs = needs;
    await this.#arrange();
  }

  /** Resolves after the first sample of sensors that were not needed before. */
  need(needs: Needs): Promise<void> {
    if (!this.#running) return Promise.resolve();
    const samePrograms = needs.programs.join("\n") === this.#needs.programs.join("\n");
    const sameFacts = listed(needs.facts) === listed(this.#needs.facts);
    const sameGpus = needs.deniedGpus?.join() === this.#needs.deniedGpus?.join();
    if (samePrograms && sameFacts && sameGpus && needs.running === this.#needs.running) {
      return this.#arranged;
    }
    this.#needs = needs;
    for (const sensor of this.#sensors) {
      // The last sample was about the previous list of programs.
      if (!samePrograms && sensor.facts.includes("excludedProgram")) this.#dueAt.delete(sensor);
    }
    this.#arranged = this.#arrange();
    return this.#arranged;
  }

  async sampleAll(programs: readonly string[]): Promise<void> {
    const needs: Needs = { ...this.#needs, facts: new Set(sensedFacts), programs, running: true };
    await Promise.all(this.#sensors.map((sensor) => this.#sample(sensor, needs)));
  }

  async sample(facts: readonly SensedFact[]): Promise<void> {
    const asked = this.#sensors.filter(
      (sensor) => this.#isNeeded(sensor) && sensor.facts.some((name) => facts.includes(name)),
    );
    await Promise.all(asked.map((sensor) => this.#sample(sensor, this.#needs)));
  }

  /** Samples these facts once, even if they are sampled regularly only at work. Nothing, if no rule needs them. */
  async sampleOnce(facts: readonly SensedFact[]): Promise<void> {
    const needs: Needs = { ...this.#needs, running: true };
    const asked = this.#sensors.filter(({ facts: told }) =>
      told.some((name) => facts.includes(name) && needs.facts.has(name)),
    );
    await Promise.all(asked.map((sensor) => this.#sample(sensor, needs)));
  }

  /** Whether its facts are kept up to date. */
  isRegular(sensor: Sensor): boolean {
    return this.#dueAt.has(sensor) || this.#unfollow.has(sensor);
  }

  stop(): void {
    this.#running = false;
    clearTimeout(this.#timer);
    for (const unfollow of this.#unfollow.values()) unfollow();
    this.#unfollow.clear();
  }

  /** Starts the sensors that are needed now, and stops those that are no longer needed. */
  async #arrange(): Promise<void> {
    const first: Promise<void>[] = [];
    for (const sensor of this.#sensors) {
      if (!this.#isNeeded(sensor)) {
        this.#end(sensor);
        continue;
      }
      if (sensor.follow !== undefined && !this.#unfollow.has(sensor)) {
        this.#unfollow.set(
          sensor,
          sensor.follow((found) => this.#take(sensor, found, "merge")),
        );
      }
      if (sensor.sample !== undefined && !this.#dueAt.has(sensor)) {
        this.#dueAt.set(sensor, Number.POSITIVE_INFINITY);
        first.push(this.#sample(sensor, this.#needs));
      }
    }
    await Promise.all(first);
    this.#arm();
  }

  #isNeeded(sensor: Sensor): boolean {
    if (sensor.onlyWhileRunning === true && !this.#needs.running) return false;
    return sensor.facts.some((name) => this.#needs.facts.has(name));
  }

  #end(sensor: Sensor): void {
    this.#unfollow.get(sensor)?.();
    this.#unfollow.delete(sensor);
    this.#dueAt.delete(sensor);
    this.#board.forget(sensor);
  }

  async #sample(sensor: Sensor, needs: Needs): Promise<void> {
    const answer = sensor.sample?.(needs);
    // A synchronous sample is stored at once, so that a new rule is never evaluated without it.
    if (answer instanceof Promise) this.#sampled(sensor, await answer);
    else if (answer !== undefined) this.#sampled(sensor, answer);
  }

  #sampled(sensor: Sensor, found: Found): void {
    if (!this.#running) return;
    // A sensor that is no longer needed is not scheduled again.
    const isDue = this.#dueAt.has(sensor);
    if (isDue && sensor.everyMs !== null) this.#dueAt.set(sensor, performance.now() + sensor.everyMs);
    this.#take(sensor, found, sensor.follow === undefined ? "put" : "merge");
    this.#arm();
  }

  #take(sensor: Sensor, found: Found, how: "put" | "merge"): void {
    if (!this.#running) return;
    const now = Date.now();
    const slept = isTrue(this.#board.value("suspended"));
    const changed =
      how === "put" ? this.#board.put(sensor, found, now) : this.#board.merge(sensor, found, now);
    if (slept && !isTrue(this.#board.value("suspended"))) this.#sampleAgain();
    if (changed) this.#onChange();
  }

  /** After sleep: timers were stopped, and earlier samples may be out of date. */
  #sampleAgain(): void {
    const now = performance.now();
    for (const [sensor, dueAt] of this.#dueAt) {
      if (Number.isFinite(dueAt)) this.#dueAt.set(sensor, now);
    }
    this.#sampleDue();
  }

  #arm(): void {
    clearTimeout(this.#timer);
    if (!this.#running) return;
    const next = Math.min(...this.#dueAt.values());
    if (!Number.isFinite(next)) return;
    this.#timer = setTimeout(() => this.#sampleDue(), Math.max(0, next - performance.now()));
  }

  #sampleDue(): void {
    const until = performance.now() + togetherMs;
    for (const [sensor, dueAt] of this.#dueAt) {
      if (dueAt > until) continue;
      if (this.#isTold(sensor)) {
        // A better source knows these facts. Check later whether it still does.
        this.#dueAt.set(sensor, performance.now() + (sensor.everyMs ?? 60_000));
        continue;
      }
      this.#dueAt.set(sensor, Number.POSITIVE_INFINITY);
      void this.#sample(sensor, this.#needs);
    }
    this.#arm();
  }

  #isTold(sensor: Sensor): boolean {
    return sensor.facts.every(
      (name) => !this.#needs.facts.has(name) || this.#board.isKnownBefore(sensor, name),
    );
  }
}

function listed(facts: ReadonlySet<SensedFact>): string {
  return [...facts].sort().join(" ");
}
