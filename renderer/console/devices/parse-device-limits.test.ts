import { expect, it } from "vitest";
import { limitableKinds } from "../../../app/devices/limits.ts";
import { parseDeviceLimits, typedLimits } from "./parse-device-limits.ts";

const none = { jobs: "", gigabytes: "", contextTokens: "", gpu: true, kinds: limitableKinds, models: null };

it("empty fields limit nothing", () => {
  expect(parseDeviceLimits(none)).toEqual({ kind: "ok", limits: {} });
});

it("limits are shown as they were typed", () => {
  const typed = {
    jobs: "2",
    gigabytes: "8",
    contextTokens: "4096",
    gpu: false,
    kinds: ["chat" as const],
    models: ["a"],
  };
  const parsed = parseDeviceLimits(typed);
  expect(parsed).toEqual({
    kind: "ok",
    limits: {
      kinds: ["chat"],
      models: ["a"],
      gpu: false,
      memoryMb: 7_629,
      contextTokens: 4_096,
      maxConcurrentJobs: 2,
    },
  });
  expect(parsed.kind === "ok" && typedLimits(parsed.limits)).toEqual(typed);
});

it.each(["0", "17", "1.5", "-1", "two"])("%s jobs at once are refused", (jobs) => {
  expect(parseDeviceLimits({ ...none, jobs })).toEqual({
    kind: "wrong",
    jobs: "Must be a whole number from 1 to 16.",
    gigabytes: null,
    contextTokens: null,
  });
});

it("each field has its own error", () => {
  const parsed = parseDeviceLimits({ ...none, jobs: "x", gigabytes: "0", contextTokens: "-1" });
  expect(parsed).toMatchObject({
    jobs: expect.stringContaining("16") as string,
    gigabytes: expect.stringContaining("1,099") as string,
    contextTokens: expect.stringContaining("10,000,000") as string,
  });
});
