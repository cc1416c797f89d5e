import { describe, expect, it } from "vitest";
import { defaultPace, defaultSizes } from "../../../app/models/rollout/stages.ts";
import type { RolloutRow } from "../data/rows.ts";
import {
  failureWords,
  impactWords,
  lineWords,
  possibleActs,
  situationWords,
  stageLines,
} from "./rollout-words.ts";

const minute = 60_000;
const nobody = { downloading: 0, ready: 0, failed: 0 };
const fleet = [1, 5, 21, 41];

function rollout(change: Partial<RolloutRow> = {}): RolloutRow {
  return {
    modelId: "m",
    isNew: true,
    state: "running",
    stages: defaultSizes.map((size, at) => ({
      size,
      upTo: 1,
      devices: fleet[at] ?? 0,
      expected: fleet[at] ?? 0,
    })),
    stage: 1,
    stageAt: 0,
    pace: defaultPace,
    why: null,
    previous: null,
    accepted: 0,
    startedAt: 0,
    byStage: [{ ...nobody, ready: 1 }, { ready: 2, downloading: 1, failed: 0 }, nobody, nobody],
    reasons: [],
    ...change,
  };
}

describe("the stages of a roll-out", () => {
  it("tell the devices that each adds, and how far those are", () => {
    expect(stageLines(rollout()).map(lineWords)).toEqual([
      "1 ready",
      "2 ready, 1 downloading, 1 waiting",
      "16 not asked yet",
      "20 not asked yet",
    ]);
    expect(stageLines(rollout()).map(({ place }) => place)).toEqual(["past", "present", "future", "future"]);
  });

  it("count devices that joined since, and have none in an empty fleet", () => {
    const [first] = stageLines(rollout({ byStage: [{ ...nobody, ready: 3 }] }));
    expect(first).toMatchObject({ devices: 3, waiting: 0 });
    const empty = rollout({
      byStage: [],
      stages: rollout().stages.map((stage) => ({ ...stage, devices: 0 })),
    });
    expect(stageLines(empty).map(lineWords)).toEqual(Array.from({ length: 4 }, () => "no devices"));
  });
});

describe("the situation of a roll-out in words", () => {
  it.each([
    [{}, 0, "The next stage begins when 4 devices are ready: 3 so far."],
    [{ stage: 0 }, 18.5, "This stage is healthy. The next one begins in 12 minutes."],
    [{ stage: 0 }, 31, "This stage is healthy. The next one begins in a moment."],
    [
      { stage: 0, pace: { ...defaultPace, byHand: true } },
      99,
      "It waits until somebody begins the next one.",
    ],
    [{ stage: 3 }, 0, "It is done when 33 devices are ready: 3 so far."],
    [{ state: "stopped", why: "2 of 5 devices failed" }, 0, "It stopped by itself: 2 of 5 devices failed."],
    [{ state: "rolled-back" }, 0, "Requests for it wait"],
    [{ state: "rolled-back", isNew: false }, 0, "Only devices that had the model before"],
    [{ state: "planning" }, 0, "finds the devices"],
  ] as const)("%j after %d minutes", (change, minutes, words) => {
    expect(situationWords(rollout(change), minutes * minute)).toContain(words);
  });
});

describe("an act on a roll-out", () => {
  const size = 4_900_000_000;

  it("says how many devices it asks to download how much, before it happens", () => {
    expect(impactWords(rollout(), "advance", size)).toContain(
      "This will ask 16 more devices to download 4.9 GB each, 78.4 GB in all.",
    );
    expect(impactWords(rollout({ stage: 2 }), "advance", size)).toContain("ask 20 more devices");
    expect(impactWords(rollout(), "release", size)).toContain("ask 36 more devices");
    expect(impactWords(rollout({ state: "stopped" }), "continue", size)).toContain(
      "This will ask 1 more device to download 4.9 GB.",
    );
    expect(impactWords(rollout({ state: "paused" }), "continue", size)).not.toContain("download");
  });

  it("says that devices that have begun keep the model after a stop, and that others do not begin", () => {
    expect(impactWords(rollout(), "stop", size)).toBe(
      "1 device of this stage that has not begun will not begin. 4 devices that have begun keep the model and may run its jobs. You can continue at any time.",
    );
  });

  it("says which devices lose the model in a roll-back", () => {
    expect(impactWords(rollout(), "roll-back", size)).toMatch(
      /^4 devices that have begun get no more jobs of it/,
    );
    expect(impactWords(rollout({ isNew: false }), "roll-back", size)).toContain(
      "before the roll-out keep it",
    );
  });

  it("is offered only when it is possible", () => {
    expect(possibleActs(rollout())).toEqual(["advance", "pause", "stop", "roll-back", "release"]);
    expect(possibleActs(rollout({ stage: 3 }))).toEqual(["pause", "stop", "roll-back", "release"]);
    expect(possibleActs(rollout({ state: "stopped" }))).toEqual(["continue", "roll-back", "release"]);
    expect(possibleActs(rollout({ state: "planning" }))).toEqual([]);
  });
});

it("tells why a model failed on a device", () => {
  expect(failureWords("corrupt")).toBe("The file is damaged");
  expect(failureWords("jobs")).toBe("Its jobs failed");
  expect(failureWords("disk-full")).toBe("Too little disk space is free");
  expect(failureWords("of a later version")).toBe("of a later version");
});
