import { expect, it } from "vitest";
import type { JobDetail } from "../data/rows.ts";
import { tokenCurve } from "./token-curve.ts";

const attempt = (over: Partial<JobDetail["attempts"][number]> = {}): JobDetail["attempts"][number] => ({
  number: 1,
  deviceId: null,
  deviceName: "laptop",
  status: "succeeded",
  startedAt: 1_000,
  endedAt: 5_000,
  error: null,
  releaseReason: null,
  work: {
    usage: { promptTokens: 10, completionTokens: 40 },
    timing: { prefillMs: 500, generateMs: 2_000 },
  },
  ...over,
});
const points = [
  { at: 2_000, bytes: 50 },
  { at: 3_000, bytes: 200 },
];

it("follows the stored stream, in tokens of the finished answer", () => {
  expect(tokenCurve({ attempts: [attempt()] }, { attempt: 1, points })).toMatchObject({
    times: [1_000, 2_000, 3_000],
    values: [0, 10, 40],
    unit: "tokens",
  });
});

it("shows bytes while the tokens are unknown", () => {
  const running = attempt({ status: "running", endedAt: null, work: null });
  expect(tokenCurve({ attempts: [running] }, { attempt: 1, points })).toMatchObject({
    values: [0, 50, 200],
    unit: "bytes",
  });
});

it("takes the device's times if no stream is stored, and says so", () => {
  const curve = tokenCurve({ attempts: [attempt()] }, null);
  expect(curve).toMatchObject({ times: [2_500, 3_000, 5_000], values: [0, 0, 40] });
  expect(curve!.method).toContain("even speed");
});

it("shows nothing of a job without an answer", () => {
  expect(tokenCurve({ attempts: [] }, null)).toBeNull();
  expect(tokenCurve({ attempts: [attempt({ work: null, status: "failed" })] }, null)).toBeNull();
  expect(tokenCurve({ attempts: [attempt({ number: 2, work: null })] }, { attempt: 1, points })).toBeNull();
});
