import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { activities, anyFacts, anyRules } from "../policy/arbitrary.fixture.ts";
import { decide } from "../policy/decide.ts";
import { someRules } from "../policy/rule-schemas.ts";
import type { Rules } from "../policy/rules.ts";
import { breaks, comfortableHour, firstHour } from "./hour.fixture.ts";
import { type ComfortHour, hourMs, mostSteps } from "./hour.ts";
import { brokenParts, comfortParts } from "./judge.ts";
import {
  easeAfterMs,
  tightenAfter,
  type Tightening,
  tighteningOf,
  tightenRules,
  untightened,
} from "./tighten.ts";

const steps = fc.integer({ min: 0, max: mostSteps });
const threads = fc.integer({ min: 1, max: 64 });
const broken = fc.constantFrom(...comfortParts);
/** Hours of which some break a promise. */
const anyHours: fc.Arbitrary<readonly ComfortHour[]> = fc
  .array(fc.option(broken, { freq: 4 }), { maxLength: 300 })
  .map((parts) => parts.map((part, at) => comfortableHour(at, part === null ? {} : breaks[part])));

function endOf(hours: readonly ComfortHour[]): number {
  return firstHour + hours.length * hourMs;
}

function threadsOf({ idle }: Rules, most: number): number {
  return Math.min(idle.threads ?? most, most);
}

describe("tightened rules, for any rules and steps", () => {
  it("are as strict as the rules of people, or stricter, and change no other rule", () => {
    fc.assert(
      fc.property(anyRules, steps, threads, (rules, step, most) => {
        const { idle, inUse, quiet, modelWarmSeconds, idleAfterSeconds, ...others } = tightenRules(
          rules,
          step,
          most,
        );
        for (const [name, value] of Object.entries(others)) expect(value).toBe(rules[name as keyof Rules]);
        expect(threadsOf({ ...rules, idle }, most)).toBeLessThanOrEqual(threadsOf(rules, most));
        expect(idle.threads === null || idle.threads >= 1).toBe(true);
        expect([idle.memoryMb, inUse.threads, inUse.gpu, inUse.memoryMb]).toEqual([
          rules.idle.memoryMb,
          rules.inUse.threads,
          rules.inUse.gpu,
          rules.inUse.memoryMb,
        ]);
        expect(idle.gpu && !rules.idle.gpu).toBe(false);
        expect(inUse.mode === "limited" && rules.inUse.mode === "off").toBe(false);
        expect(rules.quiet && !quiet).toBe(false);
        expect(modelWarmSeconds).toBeLessThanOrEqual(rules.modelWarmSeconds);
        expect(idleAfterSeconds).toBeGreaterThanOrEqual(rules.idleAfterSeconds);
      }),
    );
  });

  it("get stricter with each step", () => {
    fc.assert(
      fc.property(anyRules, threads, (rules, most) => {
        for (let step = 1; step <= mostSteps; step += 1) {
          const [before, after] = [tightenRules(rules, step - 1, most), tightenRules(rules, step, most)];
          expect(threadsOf(after, most)).toBeLessThanOrEqual(threadsOf(before, most));
          expect(before.quiet && !after.quiet).toBe(false);
          expect(after.idleAfterSeconds).toBeGreaterThanOrEqual(before.idleAfterSeconds);
        }
      }),
    );
  });

  it("stay within the bounds of each rule", () => {
    fc.assert(
      fc.property(anyRules, steps, threads, (rules, step, most) => {
        fc.pre(someRules.safeParse(rules).success);
        expect(someRules.safeParse(tightenRules(rules, step, most)).success).toBe(true);
      }),
    );
  });

  it("never let a computer donate that would not, nor with wider limits", () => {
    let donated = 0;
    fc.assert(
      fc.property(activities, anyFacts, anyRules, steps, threads, (state, facts, rules, step, most) => {
        const { next } = decide(state, facts, tightenRules(rules, step, most));
        if (next.kind === "standby") return;
        donated += 1;
        const { next: own } = decide(state, facts, rules);
        expect(own.kind).toBe("donating");
        if (own.kind === "standby" || own.reason !== next.reason) return;
        expect(Math.min(next.limits.threads ?? most, most)).toBeLessThanOrEqual(own.limits.threads ?? most);
        expect(next.limits.dutyCycle).toBeLessThanOrEqual(own.limits.dutyCycle);
        expect(next.limits.memoryMb).toBe(own.limits.memoryMb);
        expect(next.limits.gpu && !own.limits.gpu).toBe(false);
      }),
      { numRuns: 2_000 },
    );
    expect(donated).toBeGreaterThan(50);
  });
});

describe("the tightening, for any hours", () => {
  it("moves by at most one step an hour: up only after a broken promise, down only after a kept one", () => {
    fc.assert(
      fc.property(anyHours, (hours) => {
        let before: Tightening = untightened;
        for (const hour of hours) {
          const after = tightenAfter(before, hour);
          const isBroken = brokenParts(hour).length > 0;
          expect(after.step - before.step).toBe(
            isBroken ? (before.step === mostSteps ? 0 : 1) : Math.min(0, after.step - before.step),
          );
          expect(after.step).toBeGreaterThanOrEqual(Math.max(0, before.step - 1));
          expect(after.step === 0).toBe(after.cause === null);
          expect(after.goodHours).toBeLessThan(after.neededHours);
          before = after;
        }
        expect(tighteningOf(hours, endOf(hours))).toEqual(before);
      }),
    );
  });

  it("ends after enough good hours, whatever was before", () => {
    fc.assert(
      fc.property(anyHours, (hours) => {
        const good = Array.from({ length: (mostSteps + 1) * 48 }, (_, at) =>
          comfortableHour(hours.length + at),
        );
        const all = [...hours, ...good];
        expect(tighteningOf(all, endOf(all))).toEqual(untightened);
      }),
    );
  });

  it("ends after enough time, even if the tightened limits prevent all donation", () => {
    fc.assert(
      fc.property(anyHours, (hours) => {
        const now = endOf(hours) + mostSteps * easeAfterMs;
        expect(tighteningOf(hours, now)).toMatchObject({ step: 0, cause: null });
      }),
    );
  });
});
