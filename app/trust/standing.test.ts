import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  faded,
  isDrifting,
  isOnProbation,
  lowerBoundOf,
  meanOf,
  newStanding,
  probationFrom,
  probationReplays,
  reasonsOf,
  type Standing,
  type StandingEvent,
  standingEvents,
  withEvent,
} from "./standing.ts";

const dayMs = 24 * 3_600_000;
const fresh = newStanding(0);

function after(events: readonly StandingEvent[], from = fresh): Standing {
  return events.reduce((standing, event) => withEvent(standing, event, standing.at + 1_000), from);
}
const times = (count: number, event: StandingEvent): StandingEvent[] =>
  Array<StandingEvent>(count).fill(event);

const events = fc.array(
  fc.record({
    event: fc.constantFrom(...standingEvents),
    laterMs: fc.integer({ min: -dayMs, max: 40 * dayMs }),
    excess: fc.double({ min: 0, max: 50, noNaN: true }),
  }),
  { maxLength: 60 },
);

describe("a standing", () => {
  it("stays a distribution, whatever happens and whenever", () => {
    fc.assert(
      fc.property(events, (history) => {
        let standing = fresh;
        for (const { event, laterMs, excess } of history) {
          standing = withEvent(standing, event, standing.at + laterMs, excess);
          const mean = meanOf(standing);
          expect(mean).toBeGreaterThan(0);
          expect(mean).toBeLessThan(1);
          expect(lowerBoundOf(standing)).toBeGreaterThanOrEqual(0);
          expect(lowerBoundOf(standing)).toBeLessThan(mean);
          expect(standing.drift).toBeGreaterThanOrEqual(0);
        }
      }),
    );
  });

  it("says when its probation begins again", () => {
    const at = fc.integer({ min: 0, max: 4_000 * dayMs });
    fc.assert(
      fc.property(events, at, (history, later) => {
        const standing = after(history.map(({ event }) => event));
        const from = probationFrom(standing);
        const now = standing.at + later;
        fc.pre(Math.abs(now - from) > 1_000);
        expect(now > from).toBe(isOnProbation(faded(standing, now)));
      }),
    );
    expect(probationFrom(after(times(5, "fits")))).toBeGreaterThan(0);
  });

  it("keeps that moment at events that are no replay or case", () => {
    const before = after(times(7, "fits"));
    for (const event of ["result", "abort", "loss", "timeout", "failure", "misjudged", "unclear"] as const) {
      const later = withEvent(before, event, before.at + 20 * dayMs);
      expect(Math.abs(probationFrom(later) - probationFrom(before))).toBeLessThan(10);
    }
  });

  it("rises with good events and falls with bad ones", () => {
    fc.assert(
      fc.property(events, (history) => {
        const standing = after(history.map(({ event }) => event));
        for (const good of ["fits", "cleared", "result"] as const) {
          expect(meanOf(withEvent(standing, good, standing.at))).toBeGreaterThanOrEqual(meanOf(standing));
        }
        for (const bad of ["unclear", "abort", "loss", "timeout", "failure", "misjudged", "wrong"] as const) {
          expect(meanOf(withEvent(standing, bad, standing.at))).toBeLessThan(meanOf(standing));
        }
      }),
    );
  });

  it("forgets: after a long time little is known about a device", () => {
    const good = after(times(200, "fits"));
    expect(lowerBoundOf(good)).toBeGreaterThan(0.95);
    expect(lowerBoundOf(faded(good, good.at + 365 * dayMs))).toBeLessThan(0.5);
    const bad = after(["wrong"]);
    expect(meanOf(faded(bad, bad.at + 365 * dayMs))).toBeGreaterThan(0.4);
  });

  it("fades the same in one step or in many", () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: 20 * dayMs }), { maxLength: 10 }), (steps) => {
        const standing = after(times(10, "fits"));
        const end = steps.reduce((sum, step) => sum + step, standing.at);
        const inSteps = steps.reduce((each, step) => faded(each, each.at + step), standing);
        expect(inSteps.good).toBeCloseTo(faded(standing, end).good, 6);
      }),
    );
  });

  it("ends the probation by replays that fit, not by time or by answers that nobody replayed", () => {
    const known = after(times(5_000, "result"));
    expect(isOnProbation(faded(known, known.at + 30 * dayMs))).toBe(true);
    expect(isOnProbation(after(times(probationReplays, "fits")))).toBe(false);
    expect(isOnProbation(after([...times(20, "fits"), "wrong"]))).toBe(true);
  });

  it("is found to drift if each answer is a little odd, and not if one is very odd", () => {
    const slightly = Array.from({ length: 30 }).reduce<Standing>(
      (standing) => withEvent(standing, "fits", standing.at, 0.8),
      fresh,
    );
    expect(isDrifting(slightly)).toBe(true);
    expect(isDrifting(withEvent(fresh, "unclear", 0, 1_000))).toBe(false);
    expect(isDrifting(withEvent(slightly, "cleared", 0))).toBe(false);
  });
});

it("names its reasons, the weightiest first, and what is missing", () => {
  expect(reasonsOf(after([...times(3, "fits"), ...times(40, "result"), "timeout"]))).toEqual([
    "3 answers were replayed and fit the model.",
    "40 answers were accepted without a replay.",
    "1 job did not end in time.",
    "3 more replays have to fit before it counts as known.",
  ]);
  expect(reasonsOf(after([...times(20, "fits"), "wrong"]))[0]).toMatch(/./);
  expect(reasonsOf(after(["loss", "loss", "failure"])).slice(0, 2)).toEqual([
    "1 job failed here, and another device did it.",
    "2 jobs were lost with the connection.",
  ]);
  expect(reasonsOf(fresh)).toEqual(["5 more replays have to fit before it counts as known."]);
});
