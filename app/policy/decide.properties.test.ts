import fc from "fast-check";
import { describe, it } from "vitest";
import { decide } from "./decide.ts";
import type { Activity } from "./decision.ts";
import { type Facts, known, type Known, unknown, unknownComputer } from "./facts.ts";
import { donateReasons, holdReasons, type DonateReason, type HoldReason } from "./reasons.ts";
import { defaultRules, type Rules } from "./rules.ts";

const instant = fc.integer({ min: 0, max: 4_102_444_800_000 });

function knownOf<T>(value: fc.Arbitrary<T>): fc.Arbitrary<Known<T>> {
  return fc.oneof(value.map(known), fc.constant(unknown));
}

const states: fc.Arbitrary<Activity> = fc.oneof(
  fc.record({
    kind: fc.constant("donating" as const),
    reason: fc.constantFrom(...(Object.keys(donateReasons) as DonateReason[])),
    since: instant,
  }),
  fc.record({
    kind: fc.constant("holding" as const),
    reason: fc.constantFrom(...(Object.keys(holdReasons) as HoldReason[])),
    since: instant,
  }),
);

const facts: fc.Arbitrary<Facts> = fc.record({
  ...(Object.fromEntries(
    Object.entries(unknownComputer).map(([name, value]) => [name, fc.constant(value)]),
  ) as unknown as Record<keyof typeof unknownComputer, fc.Arbitrary<typeof unknown>>),
  minuteOfWeek: fc.integer({ min: 0, max: 10_079 }),
  suspended: fc.boolean(),
  finishThenPause: fc.constant(false),
  now: instant,
  idleSeconds: knownOf(fc.double({ min: 0, max: 1e6, noNaN: true })),
  power: knownOf(fc.constantFrom("ac" as const, "battery" as const)),
  batteryPercent: knownOf(fc.integer({ min: 0, max: 100 })),
  otherCpuLoad: knownOf(fc.double({ min: 0, max: 1, noNaN: true })),
  connection: fc.constantFrom("online" as const, "offline" as const),
  membership: fc.constantFrom("none", "active", "retired"),
  pause: fc.option(fc.record({ until: fc.option(instant) })),
  donateNowUntil: fc.option(instant),
  modelReady: fc.boolean(),
});

const rules: fc.Arbitrary<Rules> = fc
  .record({
    requireIdle: fc.boolean(),
    idleAfterSeconds: fc.integer({ min: 10, max: 86_400 }),
    allowOnBattery: fc.boolean(),
    batteryFloorPercent: fc.integer({ min: 0, max: 100 }),
    maxOtherCpuLoad: fc.double({ min: 0.05, max: 1, noNaN: true }),
    otherCpuLoadHysteresis: fc.double({ min: 0, max: 0.5, noNaN: true }),
  })
  .map((some) => ({ ...defaultRules, ...some }));

/** Random facts seldom allow donating: half of the runs start from facts that nearly do. */
const likelyFacts = facts.map((random): Facts => ({
  ...random,
  membership: "active",
  connection: "online",
  pause: null,
  modelReady: true,
  idleSeconds: known(90_000),
  otherCpuLoad: known(0),
}));
const anyFacts = fc.oneof(facts, likelyFacts);

function holds(predicate: (state: Activity, facts: Facts, rules: Rules) => boolean): void {
  fc.assert(fc.property(states, anyFacts, rules, predicate), { numRuns: 2_000 });
}

describe("decide, for any state, facts and rules", () => {
  it("never donates on battery unless the rules allow it, and never below their floor", () => {
    holds((state, facts, rules) => {
      if (decide(state, facts, rules).next.kind === "holding") return true;
      if (facts.power.known && facts.power.value === "ac") return true;
      return (
        rules.allowOnBattery &&
        facts.batteryPercent.known &&
        facts.batteryPercent.value >= rules.batteryFloorPercent
      );
    });
  });

  it("lets a pause outrank everything but enrolment", () => {
    holds((state, facts, rules) => {
      const paused = { ...facts, pause: { until: facts.now + 1 } };
      const expected = { none: "not-enrolled", retired: "retired", active: "paused-by-you" } as const;
      return decide(state, paused, rules).next.reason === expected[facts.membership];
    });
  });

  it("donates while somebody uses the computer only when asked to, or where nobody is asked for", () => {
    holds((state, facts, rules) => {
      const decision = decide(state, { ...facts, idleSeconds: known(0) }, rules);
      return decision.next.kind === "holding" || decision.next.reason !== "idle";
    });
  });

  it("never looks again in the past", () => {
    holds((state, facts, rules) => {
      const { recheckAt } = decide(state, facts, rules);
      return recheckAt === null || recheckAt > facts.now;
    });
  });

  it("has effects on transitions only", () => {
    holds((state, facts, rules) => {
      const { next, effects } = decide(state, facts, rules);
      return effects.length === (next.kind === state.kind ? 0 : 1);
    });
  });

  it("settles: the same facts again change nothing", () => {
    holds((state, facts, rules) => {
      const first = decide(state, facts, rules);
      const second = decide(first.next, facts, rules);
      return (
        second.effects.length === 0 &&
        second.next.since === first.next.since &&
        second.next.reason === first.next.reason
      );
    });
  });

  it("starts from `starting` like from any hold: a donor begins without a yield", () => {
    holds((_state, facts, rules) => {
      const starting: Activity = { kind: "holding", reason: "starting", since: 0 };
      return decide(starting, facts, rules).effects.every((effect) => effect.kind === "accept");
    });
  });
});
