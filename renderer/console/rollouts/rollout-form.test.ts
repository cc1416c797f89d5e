import { expect, it } from "vitest";
import { defaultPace, defaultSizes } from "../../../app/models/rollout/stages.ts";
import { devicesByStage, emptyRollout, parseRollout } from "./rollout-form.ts";

const inStages = { ...emptyRollout, inStages: true };

it("gives a model to all devices at once unless somebody chooses stages", () => {
  expect(parseRollout({ ...emptyRollout, sizes: "nonsense" })).toEqual({ kind: "ok", rollout: null });
  expect(parseRollout(inStages)).toEqual({
    kind: "ok",
    rollout: { sizes: [...defaultSizes], pace: defaultPace },
  });
});

it.each([
  [{ sizes: "one, all" }, "sizes", "Enter numbers and percents"],
  [{ sizes: "1, 50 %" }, "sizes", "last stage"],
  [{ minMinutes: "soon" }, "pace", "at most 7 days"],
  [{ minMinutes: "99999" }, "pace", "at most 7 days"],
  [{ readyPercent: "0" }, "pace", "ready devices"],
  [{ failedPercent: "100" }, "pace", "failed devices"],
])("explains %j", (change, field, why) => {
  const parsed = parseRollout({ ...inStages, ...change });
  expect(parsed).toMatchObject({ kind: "wrong", field });
  expect(parsed.kind === "wrong" && parsed.why).toContain(why);
});

it("tells how many devices each stage asks", () => {
  expect(devicesByStage(defaultSizes, 41)).toEqual([1, 5, 21, 41]);
  expect(devicesByStage(defaultSizes, 2)).toEqual([1, 1, 1, 2]);
  expect(devicesByStage(defaultSizes, 0)).toEqual([0, 0, 0, 0]);
});
