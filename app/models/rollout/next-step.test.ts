import { describe, expect, it } from "vitest";
import { countsUpTo, nextStep, type StageCounts } from "./next-step.ts";
import { defaultPace, defaultSizes, type RolloutPace } from "./stages.ts";

const expected = [1, 5, 21, 41];
const stages = defaultSizes.map((size, at) => ({ size, upTo: 1, devices: 50, expected: expected[at] ?? 0 }));
const minute = 60_000;

function step(
  stage: number,
  counts: Partial<StageCounts>,
  minutes = 60,
  pace: Partial<RolloutPace> = {},
  accepted = 0,
) {
  const progress = { stages, stage, stageAt: 0, pace: { ...defaultPace, ...pace }, accepted };
  return nextStep(progress, { downloading: 0, ready: 0, failed: 0, ...counts }, minutes * minute);
}

describe("a running roll-out", () => {
  it("waits for enough ready devices, however long a stage lasts", () => {
    expect(step(1, { ready: 3, downloading: 2 }, 10_000)).toEqual({
      kind: "wait-ready",
      ready: 3,
      needed: 4,
    });
  });

  it("waits for a minimum time, however many devices are ready", () => {
    expect(step(0, { ready: 1 }, 29)).toEqual({ kind: "wait-time", until: 30 * minute });
  });

  it("advances when a stage is healthy, and finishes after the last one", () => {
    expect(step(0, { ready: 1 })).toEqual({ kind: "advance", to: 1 });
    expect(step(3, { ready: 40 })).toEqual({ kind: "finish" });
  });

  it("waits for a person if each stage is started by hand, but finishes by itself", () => {
    expect(step(1, { ready: 5 }, 60, { byHand: true })).toEqual({ kind: "wait-person" });
    expect(step(3, { ready: 40 }, 60, { byHand: true })).toEqual({ kind: "finish" });
  });

  it("stops when more devices of a stage failed than may, before all else", () => {
    expect(step(0, { failed: 1 }, 0)).toEqual({ kind: "stop", failed: 1, of: 1 });
    expect(step(1, { failed: 1, ready: 4 })).toEqual({ kind: "advance", to: 2 });
    expect(step(1, { failed: 2, ready: 3 })).toEqual({ kind: "stop", failed: 2, of: 5 });
    expect(step(3, { failed: 9, ready: 32 })).toEqual({ kind: "stop", failed: 9, of: 41 });
  });

  it("does not stop again for failures that a person accepted by continuing", () => {
    expect(step(1, { failed: 2, ready: 3 }, 60, {}, 2).kind).toBe("wait-ready");
    expect(step(1, { failed: 4, ready: 1 }, 60, {}, 2)).toEqual({ kind: "stop", failed: 4, of: 5 });
  });

  it("counts devices that joined since", () => {
    expect(step(1, { failed: 2, ready: 8 }).kind).toBe("advance");
  });

  it("waits for a first device in an empty fleet", () => {
    const empty = stages.map((stage) => ({ ...stage, devices: 0, expected: 0 }));
    const progress = { stages: empty, stage: 0, stageAt: 0, pace: defaultPace, accepted: 0 };
    const now = 60 * minute;
    expect(nextStep(progress, { downloading: 0, ready: 0, failed: 0 }, now).kind).toBe("wait-ready");
    expect(nextStep(progress, { downloading: 0, ready: 1, failed: 0 }, now).kind).toBe("advance");
  });
});

describe("the counts of a stage", () => {
  it("include those of the stages before", () => {
    const one = { downloading: 1, ready: 2, failed: 3 };
    expect(countsUpTo([one, one, one], 1)).toEqual({ downloading: 2, ready: 4, failed: 6 });
    expect(countsUpTo([], 1)).toEqual({ downloading: 0, ready: 0, failed: 0 });
  });
});
