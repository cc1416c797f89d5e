import fc from "fast-check";
import { type Facts, known } from "../../facts/facts.ts";
import { anyFacts } from "../arbitrary.fixture.ts";
import { away } from "../decide.fixture.ts";
import { decide } from "../decide.ts";
import type { Activity } from "../decision.ts";
import type { Rules } from "../rules.ts";
import type { FactRecord } from "./record.ts";
import { FactRecorder } from "./recorder.ts";

export const begin = Date.UTC(2026, 9, 5, 6);
export const minuteOfWeek = (at: number): number => Math.floor(at / 60_000) % 10_080;

/** A change of the computer, some seconds after the previous one. */
export type Change = {
  readonly afterSeconds: number;
  readonly facts: Partial<Facts>;
  /** Seconds of input from then on, without a pause. */
  readonly inputSeconds: number;
};

const kept = [
  "power",
  "locked",
  "cameraInUse",
  "fullScreen",
  "otherCpuLoad",
  "memoryFreeMb",
  "temperatureC",
  "connection",
  "suspended",
  "metered",
  "modelReady",
] as const satisfies readonly (keyof Facts)[];

/** A few hours of a computer: someone comes and goes, and its facts change. */
export const anyChanges: fc.Arbitrary<readonly Change[]> = fc.array(
  fc
    .record({
      afterSeconds: fc.integer({ min: 5, max: 700 }),
      names: fc.subarray([...kept], { maxLength: 2 }),
      facts: anyFacts,
      inputSeconds: fc.oneof(fc.constant(0), fc.integer({ min: 1, max: 400 })),
    })
    .map(({ afterSeconds, names, facts, inputSeconds }) => ({
      afterSeconds,
      inputSeconds,
      facts: Object.fromEntries(names.map((name) => [name, facts[name]])),
    })),
  { minLength: 1, maxLength: 12 },
);

export type Lived = {
  readonly records: readonly FactRecord[];
  readonly donatedMs: number;
  /** How often it started or stopped to donate. */
  readonly turns: number;
  readonly lastedMs: number;
};

/** Lets a donor live through the changes, as its loop does, and decides each second. */
export function liveThrough(
  changes: readonly Change[],
  rules: Rules,
  stepMs = 1_000,
  from: number = begin,
): Lived {
  const records: FactRecord[] = [];
  const recorder = new FactRecorder((record) =>
    records.push(JSON.parse(JSON.stringify(record)) as FactRecord),
  );
  let state = { kind: "standby", reason: "starting", since: from } as Activity;
  let facts: Facts = away;
  let inputFrom = from - 600_000;
  let inputUntil = inputFrom;
  let now = from;
  let donatedMs = 0;
  let turns = 0;
  const tick = (): Activity["kind"] => {
    const lastInput = now >= inputFrom ? Math.min(now, inputUntil) : inputFrom;
    const seen = {
      ...facts,
      now,
      minuteOfWeek: minuteOfWeek(now),
      idleSeconds: known((now - lastInput) / 1_000),
    };
    const { next } = decide(state, seen, rules);
    if (next.kind !== state.kind) turns += 1;
    state = next;
    recorder.saw(state, seen, rules);
    return state.kind;
  };
  let kind = tick();
  for (const { afterSeconds, facts: changed, inputSeconds } of changes) {
    for (let left = afterSeconds * 1_000; left > 0; left -= stepMs) {
      now += stepMs;
      if (kind === "donating") donatedMs += stepMs;
      if (left <= stepMs) {
        facts = { ...facts, ...changed };
        if (inputSeconds > 0) {
          inputFrom = now;
          inputUntil = now + inputSeconds * 1_000;
        }
      }
      kind = tick();
    }
  }
  recorder.end(now);
  return { records, donatedMs, turns, lastedMs: now - from };
}
