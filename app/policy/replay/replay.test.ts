import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { known, unknown } from "../../facts/facts.ts";
import { evaluate } from "../evaluate.ts";
import { defaultRules, type Rules } from "../rules.ts";
import { type FactRecord, parseRecord } from "./record.ts";
import { grainMs } from "./recorder.ts";
import { newReplay, replay, replayTo } from "./replay.ts";
import { anyChanges, begin, type Change, liveThrough, minuteOfWeek } from "./simulate.fixture.ts";

const numRuns = 40;
const hour = 3_600_000;
const replayed = (changes: readonly Change[], rules: Rules, before: Rules = defaultRules) =>
  replay(liveThrough(changes, before).records, { rules, since: 0, minuteOfWeek });
const quiet = (afterSeconds: number, facts: Change["facts"] = {}, inputSeconds = 0): Change => ({
  afterSeconds,
  facts,
  inputSeconds,
});

describe("a replay of the rules in force", () => {
  it.each([
    ["the defaults", defaultRules],
    [
      "limits for a computer in use",
      { ...defaultRules, inUse: { ...defaultRules.inUse, mode: "limited" as const } },
    ],
    ["a machine that nobody sits at", { ...defaultRules, requireIdle: false }],
  ])("with %s reproduces what happened, within 30 s for each start or stop", (_, rules) => {
    fc.assert(
      fc.property(anyChanges, (changes) => {
        const lived = liveThrough(changes, rules);
        const totals = replay(lived.records, { rules, since: 0, minuteOfWeek });
        expect(totals.recorded).toBe(lived.lastedMs);
        expect(Math.abs(totals.happened - lived.donatedMs)).toBeLessThanOrEqual(grainMs);
        expect(Math.abs(totals.donated - lived.donatedMs)).toBeLessThanOrEqual(grainMs * (lived.turns + 1));
        expect(totals.unsure).toBe(0);
      }),
      { numRuns },
    );
  });
});

describe("a replay of a draft", () => {
  /** Rules that are stricter than the defaults, one by one. */
  const stricter: readonly Partial<Rules>[] = [
    { idleAfterSeconds: 600 },
    { idleWhenLocked: false },
    { maxOtherCpuLoad: 0.3 },
    { minFreeMemoryMb: 8_192 },
    { maxTemperatureC: 60 },
    { schedule: [{ days: [0, 2, 4], fromMinute: 420, toMinute: 480 }] },
    { schedule: [] },
  ];

  it("that is stricter gives no more, except for the time that the rules in force wait after a reason has ended", () => {
    fc.assert(
      fc.property(anyChanges, fc.subarray([...stricter], { minLength: 1 }), (changes, chosen) => {
        const draft: Rules = Object.assign({}, defaultRules, ...chosen);
        const { records } = liveThrough(changes, defaultRules);
        const options = { since: 0, minuteOfWeek };
        const now = replay(records, { ...options, rules: defaultRules });
        const then = replay(records, { ...options, rules: draft });
        expect(then.donated).toBeLessThanOrEqual(now.donated + waitedMs(records));
      }),
      { numRuns },
    );
  });

  it("that allows no hour gives nothing, and one that allows more gives more", () => {
    const day = [quiet(3_600), quiet(1_800, {}, 1_200), quiet(7_200)];
    const now = replayed(day, defaultRules);
    expect(replayed(day, { ...defaultRules, schedule: [] })).toMatchObject({ donated: 0, spans: 0 });
    expect(replayed(day, { ...defaultRules, idleAfterSeconds: 30 }).donated).toBe(now.donated + 90_000);
    expect(replayed(day, { ...defaultRules, idleAfterSeconds: 600 }).donated).toBe(now.donated - 480_000);
  });

  it("counts the hours of donating on battery only if the draft allows them", () => {
    const day = [quiet(3_600, { power: known("battery"), batteryPercent: known(80) }), quiet(7_200)];
    const more = replayed(day, { ...defaultRules, allowOnBattery: true });
    expect(more.donated - replayed(day, defaultRules).donated).toBe(2 * hour);
    expect(more.unsure).toBe(0);
    const untold = [
      quiet(60, { batteryPercent: unknown }),
      quiet(3_600, { power: known("battery") }),
      quiet(7_200),
    ];
    expect(replayed(untold, { ...defaultRules, allowOnBattery: true }).unsure).toBe(2 * hour);
  });
});

describe("a replay", () => {
  it("says which part rests on facts that were not recorded", () => {
    const day = [quiet(3_600)];
    const { donated, unsure } = replayed(day, { ...defaultRules, excludedPrograms: ["teams"] });
    expect(unsure).toBe(donated);
    expect(donated).toBeGreaterThan(0);
    const looked = { ...defaultRules, excludedPrograms: ["teams", "obs"] };
    const { unsure: none } = replayed(day, { ...looked, excludedPrograms: ["teams"] }, looked);
    expect(none).toBe(0);
  });

  it("counts no time in which the donor did not run or the computer slept", () => {
    const { records } = liveThrough([quiet(3_600)], defaultRules);
    const cut = records.slice(0, 2);
    const later = records.map((record) => ({ ...record, at: record.at + 9 * hour }));
    const { recorded } = replay([...cut, ...later], { rules: defaultRules, since: 0, minuteOfWeek });
    expect(recorded).toBeLessThan(1.3 * hour);
  });

  it("counts only the time since a moment, with the state from before it", () => {
    const { records } = liveThrough([quiet(7_200)], defaultRules);
    const options = { rules: defaultRules, since: begin + hour, minuteOfWeek };
    expect(replay(records, options)).toMatchObject({ recorded: hour, donated: hour });
  });

  it("waits for a record with all fields, and survives damaged lines", () => {
    const { records } = liveThrough([quiet(3_600), quiet(600, {}, 300)], defaultRules);
    const [, ...rest] = records;
    const options = { rules: defaultRules, since: 0, minuteOfWeek };
    expect(rest.reduce((so, record) => replayTo(so, record, options), newReplay()).totals.recorded).toBe(0);
    expect(parseRecord('{"at":1,"set":{"power":["a')).toBeNull();
    expect(parseRecord('{"at":-1,"set":{}}')).toBeNull();
    expect(parseRecord(JSON.stringify(records[0]))).toEqual(records[0]);
  });

  it("has little to read: the records of a week of use are less than a mebibyte", () => {
    const hours = Array.from({ length: 7 * 24 }, () => quiet(3_600, {}, 1_800));
    const { records } = liveThrough(hours, defaultRules, 10_000);
    expect(JSON.stringify(records).length).toBeLessThan(2 ** 20);
  });
});

/** How long the rules in force had no reason left but stayed on standby, as after a call or near a limit. */
function waitedMs(records: readonly FactRecord[]): number {
  let ms = 0;
  replay(records, {
    rules: defaultRules,
    since: 0,
    minuteOfWeek,
    onDecision: ({ kind }, facts, until) => {
      const idle = facts.idleSeconds.known ? facts.idleSeconds.value + (until - facts.now) / 1_000 : 0;
      const atEnd = { ...facts, now: until, idleSeconds: known(idle) };
      const hasReason = [facts, atEnd].every(
        (each) => evaluate({ state: null, facts: each, rules: defaultRules }).kind === "standby",
      );
      if (kind === "standby" && !hasReason) ms += until - facts.now;
    },
  });
  return ms;
}
