import { expect, it } from "vitest";
import { pollIntervalMs, type WaitStage } from "./poll-interval.ts";

/** Polls in the first minute of a stage. */
function pollsInMinute(stage: WaitStage): number {
  let polls = 0;
  for (let at = 0; at < 60_000; at += pollIntervalMs(stage, at)) polls += 1;
  return polls;
}

it.each([
  ["queued", 26],
  ["running", 70],
  ["streaming", 110],
] as const)("a minute of a job that is %s takes at most %d polls", (stage, most) => {
  expect(pollsInMinute(stage)).toBeLessThanOrEqual(most);
});

it.each(["queued", "running", "streaming"] as const)(
  "a job that is %s is polled closely at first",
  (stage) => {
    expect(pollIntervalMs(stage, 0)).toBe(30);
    expect(pollIntervalMs(stage, 60)).toBeLessThanOrEqual(30);
  },
);

it("a wait of a running job grows by at most an eighth", () => {
  for (let at = 240; at < 16_000; at += 100)
    expect(pollIntervalMs("running", at)).toBeLessThanOrEqual(at / 8);
});
