import { describe, expect, it } from "vitest";
import { defaultRules, type Rules } from "../policy/rules.ts";
import { breaks, comfortableHour, firstHour } from "./hour.fixture.ts";
import { hourMs } from "./hour.ts";
import { easeAfterMs, type Tightening, tighteningOf, tightenRules, untightened } from "./tighten.ts";
import { sayTightening } from "./words.ts";

/** "x": an hour that stops too slowly. ".": a good one. */
function after(pattern: string, ms = 0): Tightening {
  const hours = pattern.split("").map((kind, at) => comfortableHour(at, kind === "x" ? breaks.yields : {}));
  return tighteningOf(hours, firstHour + (hours.length - 1) * hourMs + ms);
}

describe("the tightening", () => {
  it("takes a step with each broken promise, up to four", () => {
    expect(after("x")).toMatchObject({ step: 1, cause: { startAt: firstHour, part: "yields" } });
    expect(after("xx").step).toBe(2);
    expect(after("xxxxxxx").step).toBe(4);
  });

  it("takes one step back after three good hours", () => {
    expect(after("xx..").step).toBe(2);
    expect(after("xx...").step).toBe(1);
    expect(after("xx......")).toMatchObject({ step: 0, cause: null });
  });

  it("needs twice as many good hours if the promise breaks again after a step back", () => {
    const again = after("x...x");
    expect(again).toMatchObject({ step: 1, neededHours: 6 });
    expect(after("x...x.....").step).toBe(1);
    expect(after("x...x......").step).toBe(0);
    expect(after("x...x......x").neededHours).toBe(12);
  });

  it("takes one step back after each three days without an hour of donation", () => {
    expect(after("xx", easeAfterMs - 1).step).toBe(2);
    expect(after("xx", easeAfterMs)).toMatchObject({ step: 1, cause: { part: "yields" } });
    expect(after("xx", 2 * easeAfterMs)).toMatchObject({ step: 0, cause: null });
    expect(after("xx", -easeAfterMs).step).toBe(2);
    const later = firstHour + 2 * easeAfterMs;
    const hours = [comfortableHour(0, breaks.heat), { ...comfortableHour(0, breaks.heat), startAt: later }];
    expect(tighteningOf(hours, later)).toMatchObject({ step: 1, neededHours: 6 });
  });

  it("forgets the past after a row of good hours without a step", () => {
    expect(after("x......")).toEqual(untightened);
    expect(after("x......x").neededHours).toBe(3);
  });
});

describe("tightened rules", () => {
  const limited: Rules = {
    ...defaultRules,
    inUse: { mode: "limited", threads: 1, gpu: false, memoryMb: 1_024 },
    modelWarmSeconds: 60,
  };

  it("give less with each step", () => {
    const most = 8;
    expect(tightenRules(limited, 0, most)).toBe(limited);
    expect(tightenRules(limited, 1, most)).toMatchObject({
      idle: { threads: 6 },
      inUse: { mode: "off" },
      quiet: false,
    });
    expect(tightenRules(limited, 2, most)).toMatchObject({
      idle: { threads: 4 },
      quiet: true,
      modelWarmSeconds: 0,
    });
    expect(tightenRules(limited, 3, most)).toMatchObject({ idle: { threads: 2 }, idleAfterSeconds: 240 });
    expect(tightenRules(limited, 4, most)).toMatchObject({ idle: { threads: 1, gpu: false } });
  });

  it("let the threads rest where none can be spared", () => {
    expect(tightenRules(defaultRules, 1, 1)).toMatchObject({ idle: { threads: 1 }, quiet: true });
  });

  it("are said in plain sentences, with the reason and the end", () => {
    const when = (): string => "14:00";
    expect(sayTightening(untightened, limited, 8, when)).toBeNull();
    expect(sayTightening(after("xx."), limited, 8, when)).toBe(
      "For now Gleaner gives less: 4 processor cores fewer, half of the time, nothing while you use the computer, " +
        "no model stays in memory. The reason: stopping took too long (14:00). " +
        "It gives more again, step by step: the next step is after 2 more hours of donation without such a problem, or after 3 days without donation.",
    );
    expect(
      sayTightening(after("x"), { ...limited, idle: { threads: 1, gpu: true, memoryMb: null } }, 8, when),
    ).toContain("gives less: half of the time, nothing while");
    const strict: Rules = { ...defaultRules, quiet: true, idle: { ...defaultRules.idle, threads: 1 } };
    expect(sayTightening(after("x"), strict, 8, when)).toMatch(
      /^For now Gleaner would give less, but the rules are already as strict\. The reason: /,
    );
  });
});
