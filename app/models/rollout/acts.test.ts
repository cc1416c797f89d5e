import { describe, expect, it } from "vitest";
import { afterAct, placeWords, type RolloutAct, rolloutActs, type RolloutPlace } from "./acts.ts";
import { type RolloutState, rolloutStates } from "./device.ts";
import { defaultSizes } from "./stages.ts";

const stages = defaultSizes.map((size) => ({ size }));
const after = (state: RolloutState, act: RolloutAct, stage = 1, previous?: RolloutPlace) =>
  afterAct({ state, stage, stages, previous }, act);

describe("an act on a roll-out", () => {
  it.each([
    ["running", "pause", "paused", 1],
    ["paused", "continue", "running", 1],
    ["running", "advance", "running", 2],
    ["paused", "advance", "running", 2],
    ["running", "stop", "stopped", 1],
    ["stopped", "continue", "running", 1],
    ["stopped", "roll-back", "rolled-back", 1],
    ["rolled-back", "continue", "running", 1],
    ["running", "release", "running", 3],
    ["stopped", "release", "running", 3],
    ["rolled-back", "release", "running", 3],
  ] as const)("%s, %s: it is %s at stage %i", (state, act, next, stage) => {
    expect(after(state, act)).toEqual({ state: next, stage });
  });

  it("is not possible while the stages are planned, or once it is done", () => {
    for (const state of ["planning", "done"] as const) {
      for (const act of rolloutActs) expect(after(state, act)).toBeNull();
    }
  });

  it("advances past no last stage, and a release ends it there", () => {
    expect(after("running", "advance", 3)).toBeNull();
    expect(after("running", "release", 3)).toEqual({ state: "done", stage: 3 });
    expect(after("stopped", "release", 3)).toEqual({ state: "running", stage: 3 });
  });

  it("leads to another place, from each state, and can be undone", () => {
    for (const state of rolloutStates) {
      for (const act of rolloutActs) {
        const next = after(state, act);
        if (next === null) continue;
        expect(next).not.toEqual({ state, stage: 1 });
        expect(after(next.state, "undo", next.stage, { state, stage: 1 })).toEqual({ state, stage: 1 });
      }
    }
  });

  it("cannot be undone when something happened since", () => {
    expect(after("paused", "undo")).toBeNull();
  });
});

it("tells the place of a roll-out in words", () => {
  expect(placeWords({ state: "paused", stage: 1 }, stages)).toBe("paused, stage 2 of 4 (10%)");
  expect(placeWords({ state: "done", stage: 3 }, stages)).toBe("done, stage 4 of 4 (all devices)");
});
