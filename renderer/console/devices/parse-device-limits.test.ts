import { expect, it } from "vitest";
import { parseDeviceLimits, typedLimits } from "./parse-device-limits.ts";

const none = { jobs: "", gibibytes: "", gpu: true, models: null };

it("empty fields limit nothing", () => {
  expect(parseDeviceLimits(none)).toEqual({ kind: "ok", limits: {} });
});

it("limits are shown as they were typed", () => {
  const typed = { jobs: "2", gibibytes: "8", gpu: false, models: ["a"] };
  const parsed = parseDeviceLimits(typed);
  expect(parsed).toEqual({
    kind: "ok",
    limits: { models: ["a"], gpu: false, memoryMb: 8_192, maxConcurrentJobs: 2 },
  });
  expect(parsed.kind === "ok" && typedLimits(parsed.limits)).toEqual(typed);
});

it.each(["0", "17", "1.5", "-1", "two"])("%s jobs at once are refused", (jobs) => {
  expect(parseDeviceLimits({ ...none, jobs })).toEqual({
    kind: "wrong",
    jobs: "Must be a whole number from 1 to 16.",
    gibibytes: null,
  });
});

it("both fields have their own error", () => {
  const parsed = parseDeviceLimits({ ...none, jobs: "x", gibibytes: "0" });
  expect(parsed).toMatchObject({
    jobs: expect.stringContaining("16") as string,
    gibibytes: expect.stringContaining("1,024") as string,
  });
});
