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

/** Checks only the decisions that donate. */
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
    if (next.kind === "standby") return true;
    donated += 1;
    return predicate(next, facts, rules, state);
  });
  // Without any such decision, every property would hold.
  expect(donated).toBeGreaterThan(numRuns / 50);
}

const isAsked = ({ donateNowUntil, now }: Facts, { allowDonateNow }: Rules): boolean =>
  allowDonateNow && donateNowUntil !== null && donateNowUntil > now;

describe("a decision to donate, for any state, facts and rules", () => {
  it("never donates on battery unless the rules allow it, and never below their floor", () => {
    whenDonating((_next, { power, batteryPercent }, rules) => {
      if (power.known && power.value === "ac") return true;
      return (
        rules.allowOnBattery && batteryPercent.known && batteryPercent.value >= rules.batteryFloorPercent
      );
    });
  });

  it("donates only within the schedule, unless its user asked to donate now", () => {
    whenDonating(
      (_next, { minuteOfWeek, ...facts }, rules) =>
        rules.schedule === null ||
        isAsked({ minuteOfWeek, ...facts }, rules) ||
        rules.schedule.some(({ days, fromMinute, toMinute }) =>
          days.some((day) => {
            // Counted in another way than in the code: from the window's start.
            const end = toMinute > fromMinute ? toMinute : toMinute + 1_440;
            const at = [minuteOfWeek - day * 1_440, minuteOfWeek + 10_080 - day * 1_440];
            return at.some((minute) => minute >= fromMinute && minute < end);
          }),
        ),
    );
  });

  it("donates on no metered network unless that is allowed, and only on a required network", () => {
    whenDonating((_next, { metered, networks }, { allowMetered, requiredNetworks }) => {
      if (!allowMetered && metered.known && metered.value) return false;
      if (requiredNetworks.length === 0) return true;
      return networks.known && networks.value.some((name) => requiredNetworks.includes(name));
    });
  });

  it("does not donate while an excluded program runs or the running programs are unknown", () => {
    whenDonating(
      (_next, { excludedProgram }, rules) =>
        rules.excludedPrograms.length === 0 || (excludedProgram.known && excludedProgram.value === null),
    );
  });

  it("never donates while too hot, asleep, paused, offline, retired or without a model", () => {
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

  it("never exceeds the rules' limits, and uses those for a computer in use unless it is certainly idle", () => {
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

  it("rests only while somebody types on a computer in use, and for less than ten seconds", () => {
    whenDonating(({ limits: { stillSince, confined } }, { now, idleSeconds }) => {
      const types = confined && idleSeconds.known && idleSeconds.value < 2;
      if (stillSince === null) return !types;
      return types && stillSince <= now && now - stillSince < 10_000;
    });
  });

  it("has a duty cycle above 0 and up to 1, and at most a half when quiet or in use", () => {
    whenDonating(
      ({ limits }, _facts, { quiet }) =>
        limits.dutyCycle > 0 && limits.dutyCycle <= (quiet || limits.confined ? 0.5 : 1),
    );
  });

  it("starts no job while it finishes the last one", () => {
    whenDonating(({ reason }, { finishThenPause }, _rules, state) =>
      finishThenPause ? reason === "finishing" && state.kind === "donating" : reason !== "finishing",
    );
  });
});

describe("decide, for any state, facts and rules", () => {
  it("lets a pause outrank everything but enrollment", () => {
    holds((state, facts, rules) => {
      const paused = { ...facts, pause: { until: facts.now + 1 } };
      const expected = {
        none: "not-enrolled",
        pending: "awaiting-approval",
        paused: "paused-by-server",
        "paused-on-request": "paused-in-console",
        outdated: "outdated",
        "other-key": "other-key",
        retired: "retired",
        active: "paused-by-you",
      } as const;
      return decide(state, paused, rules).next.reason === expected[facts.membership];
    });
  });

  it("never schedules the next check in the past", () => {
    holds((state, facts, rules) => {
      const { recheckAt } = decide(state, facts, rules);
      return recheckAt === null || recheckAt > facts.now;
    });
  });

  it("yields when it stops donating, accepts when it starts, and has no effect on standby", () => {
    holds((state, facts, rules) => {
      const { next, effects } = decide(state, facts, rules);
      const kinds = effects.map(({ kind }) => kind).join();
      if (next.kind === "standby") return kinds === (state.kind === "donating" ? "yield" : "");
      if (state.kind === "standby") return kinds === "accept";
      return ["", "limit", "finish", "limit,finish", "accept"].includes(kinds);
    });
  });

  it("changes nothing when it decides again with the same facts", () => {
    holds((state, facts, rules) => {
      const first = decide(state, facts, rules);
      const second = decide(first.next, facts, rules);
      expect(second.next).toEqual(first.next);
      expect(second.effects).toEqual([]);
      return true;
    });
  });

  it("has no yield among its first effects after the start", () => {
    holds((_state, facts, rules) => {
      const starting: Activity = { kind: "standby", reason: "starting", since: 0 };
      return decide(starting, facts, rules).effects.every((effect) => effect.kind === "accept");
    });
  });
});

describe("hysteresis", () => {
  const between = (min: number, max: number) => fc.double({ min, max, noNaN: true }).map(known);
  /** Each fact stays within its hysteresis under the default rules. */
  const wavering = fc.record({
    otherCpuLoad: between(0.4501, 0.6),
    otherGpuLoad: between(0.1501, 0.3),
    temperatureC: between(77.01, 85),
    memoryFreeMb: between(512, 767),
    batteryPercent: between(50, 51.9),
  });

  const starts: readonly (readonly [string, Activity, Facts])[] = [
    ["donating", inUse, { ...away, ...willing }],
    ["standby for the load", inUse, { ...away, ...willing, otherCpuLoad: known(0.9) }],
    ["standby for heat", inUse, { ...away, ...willing, temperatureC: known(95) }],
    ["standby for memory", inUse, { ...away, ...willing, memoryFreeMb: known(100) }],
    [
      "standby for the battery",
      inUse,
      { ...away, ...willing, power: known("battery" as const), batteryPercent: known(40) },
    ],
  ];
  it.each(starts)(
    "stays in its state, %s, while facts waver within their hysteresis",
    (_name, from, first) => {
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
          // Warmth may bring it to half speed once. Nothing lets it start or stop.
          return state.kind === kind && changes <= (kind === "donating" ? 1 : 0);
        }),
      );
    },
  );

  it("waits until a camera that turns on and off has stayed off", () => {
    const calls = fc.array(fc.boolean(), { minLength: 2, maxLength: 50 });
    fc.assert(
      fc.property(calls, (inCall) => {
        let state = decide(inUse, { ...away, cameraInUse: known(true) }, defaultRules).next;
        return inCall.every((camera, at) => {
          // It is never off for the whole cooldown of half a minute.
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
