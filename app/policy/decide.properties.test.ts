import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type Facts, known } from "../facts/facts.ts";
import { activities, anyFacts, anyRules, willing } from "./arbitrary.fixture.ts";
import { away, inUse } from "./decide.fixture.ts";
import { decide } from "./decide.ts";
import type { Activity } from "./decision.ts";
import { defaultRules, type Rules } from "./rules.ts";

const numRuns = 2_000;

function holds(predicate: (state: Activity, facts: Facts, rules: Rules) => boolean): void {
  fc.assert(fc.property(activities, anyFacts, anyRules, predicate), { numRuns });
}

/** Of the decisions that donate. */
function whenDonating(
  predicate: (
    next: Extract<Activity, { kind: "donating" }>,
    facts: Facts,
    rules: Rules,
    state: Activity,
  ) => boolean,
): void {
  let donated = 0;
  holds((state, facts, rules) => {
    const { next } = decide(state, facts, rules);
    if (next.kind === "holding") return true;
    donated += 1;
    return predicate(next, facts, rules, state);
  });
  // A property of nothing would hold too.
  expect(donated).toBeGreaterThan(numRuns / 50);
}

const isAsked = ({ donateNowUntil, now }: Facts, { allowDonateNow }: Rules): boolean =>
  allowDonateNow && donateNowUntil !== null && donateNowUntil > now;

describe("donating, for any state, facts and rules", () => {
  it("never goes on battery unless the rules allow it, and never below their floor", () => {
    whenDonating((_next, { power, batteryPercent }, rules) => {
      if (power.known && power.value === "ac") return true;
      return (
        rules.allowOnBattery && batteryPercent.known && batteryPercent.value >= rules.batteryFloorPercent
      );
    });
  });

  it("keeps to the schedule, unless asked for", () => {
    whenDonating(
      (_next, { minuteOfWeek, ...facts }, rules) =>
        rules.schedule === null ||
        isAsked({ minuteOfWeek, ...facts }, rules) ||
        rules.schedule.some(({ days, fromMinute, toMinute }) =>
          days.some((day) => {
            // The other way round than the code: minute by minute from the window's beginning.
            const end = toMinute > fromMinute ? toMinute : toMinute + 1_440;
            const at = [minuteOfWeek - day * 1_440, minuteOfWeek + 10_080 - day * 1_440];
            return at.some((minute) => minute >= fromMinute && minute < end);
          }),
        ),
    );
  });

  it("pays for no network, and is on one of those that are asked for", () => {
    whenDonating((_next, { metered, networks }, { allowMetered, requiredNetworks }) => {
      if (!allowMetered && metered.known && metered.value) return false;
      if (requiredNetworks.length === 0) return true;
      return networks.known && networks.value.some((name) => requiredNetworks.includes(name));
    });
  });

  it("runs beside no excluded program, and beside none that nobody can name", () => {
    whenDonating(
      (_next, { excludedProgram }, rules) =>
        rules.excludedPrograms.length === 0 || (excludedProgram.known && excludedProgram.value === null),
    );
  });

  it("is never too hot, asleep, paused, offline, retired, or in want of a model", () => {
    whenDonating(
      (_next, facts, { maxTemperatureC }) =>
        !(
          facts.temperatureC.known &&
          maxTemperatureC !== null &&
          facts.temperatureC.value > maxTemperatureC
        ) &&
        !(facts.thermal.known && (facts.thermal.value === "serious" || facts.thermal.value === "critical")) &&
        !facts.suspended &&
        (facts.pause === null || (facts.pause.until !== null && facts.pause.until <= facts.now)) &&
        facts.connection === "online" &&
        facts.membership === "active" &&
        facts.modelReady,
    );
  });

  it("uses never more than the rules' limits: those for a computer in use wherever idleness is not certain", () => {
    whenDonating(({ limits, reason }, facts, rules) => {
      const idle =
        isAsked(facts, rules) ||
        !rules.requireIdle ||
        (facts.idleSeconds.known && facts.idleSeconds.value >= rules.idleAfterSeconds) ||
        (rules.idleWhenLocked &&
          facts.locked.known &&
          facts.locked.value &&
          facts.idleSeconds.known &&
          facts.idleSeconds.value >= 10);
      const allowed = idle ? rules.idle : rules.inUse;
      const denied = rules.gpus
        .filter(({ allow }) => !allow)
        .every(({ index }) => limits.deniedGpus.includes(index));
      return (
        (idle || (rules.inUse.mode === "limited" && reason !== "idle")) &&
        limits.threads === allowed.threads &&
        limits.confined === !idle &&
        limits.memoryMb === allowed.memoryMb &&
        (allowed.gpu || !limits.gpu) &&
        denied
      );
    });
  });

  it("stands still wherever somebody types on a computer in use, for no longer than ten seconds, and nowhere else", () => {
    whenDonating(({ limits: { stillSince, confined } }, { now, idleSeconds }) => {
      const types = confined && idleSeconds.known && idleSeconds.value < 2;
      if (stillSince === null) return !types;
      return types && stillSince <= now && now - stillSince < 10_000;
    });
  });

  it("has a duty cycle above 0, to 1, and of half at most where it is to be quiet or in use", () => {
    whenDonating(
      ({ limits }, _facts, { quiet }) =>
        limits.dutyCycle > 0 && limits.dutyCycle <= (quiet || limits.confined ? 0.5 : 1),
    );
  });

  it("begins no job while it finishes the last", () => {
    whenDonating(({ reason }, { finishThenPause }, _rules, state) =>
      finishThenPause ? reason === "finishing" && state.kind === "donating" : reason !== "finishing",
    );
  });
});

describe("decide, for any state, facts and rules", () => {
  it("lets a pause outrank everything but enrollment", () => {
    holds((state, facts, rules) => {
      const paused = { ...facts, pause: { until: facts.now + 1 } };
      const expected = { none: "not-enrolled", retired: "retired", active: "paused-by-you" } as const;
      return decide(state, paused, rules).next.reason === expected[facts.membership];
    });
  });

  it("never looks again in the past", () => {
    holds((state, facts, rules) => {
      const { recheckAt } = decide(state, facts, rules);
      return recheckAt === null || recheckAt > facts.now;
    });
  });

  it("yields whenever it stops donating, accepts whenever it begins, and says nothing while it holds", () => {
    holds((state, facts, rules) => {
      const { next, effects } = decide(state, facts, rules);
      const kinds = effects.map(({ kind }) => kind).join();
      if (next.kind === "holding") return kinds === (state.kind === "donating" ? "yield" : "");
      if (state.kind === "holding") return kinds === "accept";
      return ["", "limit", "finish", "limit,finish", "accept"].includes(kinds);
    });
  });

  it("settles: the same facts again change nothing", () => {
    holds((state, facts, rules) => {
      const first = decide(state, facts, rules);
      const second = decide(first.next, facts, rules);
      expect(second.next).toEqual(first.next);
      expect(second.effects).toEqual([]);
      return true;
    });
  });

  it("starts from `starting` like from any hold: a donor begins without a yield", () => {
    holds((_state, facts, rules) => {
      const starting: Activity = { kind: "holding", reason: "starting", since: 0 };
      return decide(starting, facts, rules).effects.every((effect) => effect.kind === "accept");
    });
  });
});

describe("it does not flap", () => {
  const between = (min: number, max: number) => fc.double({ min, max, noNaN: true }).map(known);
  /** Each within its own hysteresis, of the default rules. */
  const wavering = fc.record({
    otherCpuLoad: between(0.4501, 0.6),
    otherGpuLoad: between(0.1501, 0.3),
    temperatureC: between(77.01, 85),
    memoryFreeMb: between(512, 767),
    batteryPercent: between(50, 51.9),
  });

  const starts: readonly (readonly [string, Activity, Facts])[] = [
    ["donating", inUse, { ...away, ...willing }],
    ["holding for the load", inUse, { ...away, ...willing, otherCpuLoad: known(0.9) }],
    ["holding for heat", inUse, { ...away, ...willing, temperatureC: known(95) }],
    ["holding for memory", inUse, { ...away, ...willing, memoryFreeMb: known(100) }],
    [
      "holding for the battery",
      inUse,
      { ...away, ...willing, power: known("battery" as const), batteryPercent: known(40) },
    ],
  ];
  it.each(starts)("%s, while facts waver within their hysteresis", (_name, from, first) => {
    const rules = { ...defaultRules, allowOnBattery: true };
    fc.assert(
      fc.property(fc.array(wavering, { minLength: 1, maxLength: 20 }), (steps) => {
        let { next: state } = decide(from, first, rules);
        const kind = state.kind;
        let changes = 0;
        steps.forEach((step, at) => {
          const power = first.power;
          const facts = { ...first, ...step, power, now: away.now + at * 1_000_000 };
          const { next, effects } = decide(state, facts, rules);
          changes += effects.length;
          state = next;
        });
        // Warmth alone may bring it to half speed, once; nothing lets it begin or stop.
        return state.kind === kind && changes <= (kind === "donating" ? 1 : 0);
      }),
    );
  });

  it("waits until a thing that comes and goes has stayed away", () => {
    const calls = fc.array(fc.boolean(), { minLength: 2, maxLength: 50 });
    fc.assert(
      fc.property(calls, (inCall) => {
        let state = decide(inUse, { ...away, cameraInUse: known(true) }, defaultRules).next;
        return inCall.every((camera, at) => {
          // Each second for less than half a minute: never long enough.
          const facts = {
            ...away,
            now: away.now + (at % 29) * 1_000,
            cameraInUse: known(camera || at % 29 === 0),
          };
          state = decide(state, facts, defaultRules).next;
          return state.reason === "in-call";
        });
      }),
    );
  });
});
