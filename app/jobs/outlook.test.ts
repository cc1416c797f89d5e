import { expect, it } from "vitest";
import { outlookWords, unansweredWords, type WaitsFor } from "./outlook.ts";

const busy = { ahead: { jobs: 12, exact: false }, expectedMs: 40_400, workers: 3 };

it("says how many jobs are before a job, how long they take, and how many devices there are", () => {
  expect(outlookWords(busy)).toBe("about 12 jobs before it, about 40 s, 3 devices");
  expect(outlookWords({ ahead: { jobs: 1, exact: true }, expectedMs: null, workers: 1 })).toBe(
    "1 job before it, 1 device",
  );
  expect(outlookWords({ ahead: null, expectedMs: null, workers: 0 })).toBe("0 devices");
});

it("says why a job has no answer yet, for each reason in other words", () => {
  const reasons: readonly WaitsFor[] = [
    "time",
    "job",
    "limit",
    "paused",
    "no-worker",
    "no-model",
    "no-match",
    "busy",
    null,
  ];
  const words = reasons.map((waitsFor) => unansweredWords({ status: "queued", waitsFor, outlook: busy }));
  expect(new Set(words).size).toBe(reasons.length);
  expect(words).toContain(
    "All devices that could do it are busy: about 12 jobs before it, about 40 s, 3 devices.",
  );
  expect(unansweredWords({ status: "running", waitsFor: null, outlook: null })).toMatch(/works on it/);
});
