import { expect, it } from "vitest";
import type { JobDetail } from "../data/rows.ts";
import { filterOf, handOverWords, spansOf, speedWords, waitWords } from "./job-words.ts";

const now = new Date("2026-11-21T14:30:00").getTime();

it("says why a job waits", () => {
  const since = new Date("2026-11-21T14:05:00").getTime();
  expect(waitWords({ kind: "paused", by: "Ada Brandt", since }, now)).toBe(
    "Its lane is paused by Ada Brandt since 14:05",
  );
  expect(waitWords({ kind: "paused", by: null, since: null }, now)).toBe("Its lane is paused");
  expect(waitWords({ kind: "limit", limit: 4, constrained: false }, now)).toContain("(4)");
  expect(waitWords({ kind: "time", until: now + 60_000, retried: false }, now)).toBe("Starts at 14:31");
  expect(waitWords({ kind: "time", until: now - 1, retried: true }, now)).toBe("Tried again soon");
  expect(waitWords({ kind: "no-worker" }, now)).toBe("No device is donating");
});

it("says why a job left a device", () => {
  const attempt = (deviceName: string, releaseReason: string | null = null) =>
    ({ deviceName, releaseReason }) as JobDetail["attempts"][number];
  const [from, to] = [attempt("Alan's XPS"), attempt("Ada's ThinkPad")];
  expect(handOverWords({ how: "stolen", from, to })).toBe("Ada's ThinkPad was free first");
  expect(handOverWords({ how: "stolen", from: attempt("x", "not started in time"), to: null })).toBe(
    "It was not started in time",
  );
  expect(handOverWords({ how: "released", from: attempt("x", "in-use"), to })).toBe("Given back: In use");
  expect(handOverWords({ how: "released", from, to })).toBe("Given back");
  expect(handOverWords({ how: "lost", from, to })).toContain("lease expired");
  expect(handOverWords({ how: "failed", from, to })).toContain("tried again");
  expect(handOverWords({ how: "second", from: attempt(""), to })).toContain(
    "A deleted device was far slower",
  );
});

it("tells waiting from running", () => {
  const job = { submittedAt: now - 9_500, startedAt: null, finishedAt: null };
  expect(spansOf(job, now)).toEqual({ waitedMs: 9_000, ranMs: null });
  expect(spansOf({ ...job, finishedAt: now - 500 }, now)).toEqual({ waitedMs: 9_000, ranMs: null });
  expect(spansOf({ ...job, startedAt: now - 4_500 }, now)).toEqual({ waitedMs: 5_000, ranMs: 4_000 });
  const done = { ...job, startedAt: now - 4_500, finishedAt: now - 500 };
  expect(spansOf(done, now)).toEqual({ waitedMs: 5_000, ranMs: 4_000 });
});

it("reads a filter from the address, and ignores an unknown one", () => {
  expect(filterOf("failed")).toBe("failed");
  expect(filterOf("dead")).toBe("dead");
  expect(filterOf("nonsense")).toBeNull();
  expect(filterOf("")).toBeNull();
});

it("shows speeds that can be known", () => {
  expect(speedWords(84, 2_000)).toBe("42 tokens/s");
  expect(speedWords(3, 2_000)).toBe("1.5 tokens/s");
  expect(speedWords(3, 0)).toBeNull();
});
