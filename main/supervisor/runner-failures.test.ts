import { beforeEach, describe, expect, it } from "vitest";
import type { LoadReport, RunnerJob } from "../../app/contract/runner.ts";
import { silentLog } from "../log.ts";
import { Attempt } from "./attempt.ts";
import type { EndReason } from "./process/process-exit.ts";
import type { RunnerExit } from "./process/runner-child.ts";
import { RunnerFailures } from "./runner-failures.ts";

const events = { loaded: () => undefined, text: () => undefined, measured: () => undefined };

/** An attempt that writes its answer, with a model on this backend. */
function writing(name: string, backend: "cuda" | "cpu"): Attempt {
  const job = { attemptId: name, model: { sha256: "m" } } as unknown as RunnerJob;
  const attempt = new Attempt(job, name, false, events);
  attempt.sent = true;
  attempt.load = { backend } as LoadReport;
  return attempt;
}

describe("the end of a process whose model is on a GPU", () => {
  let told: string[];
  let failures: RunnerFailures;
  beforeEach(() => {
    told = [];
    failures = new RunnerFailures((_sha256, backend, how) => told.push(`${backend} ${how}`), silentLog);
  });
  const end = (
    exit: Partial<RunnerExit>,
    endReason: EndReason | null = null,
    backend: "cuda" | "cpu" = "cuda",
  ) =>
    failures.ended({
      endReason,
      loading: null,
      exit: { code: null, signal: null, ...exit },
      attempts: [writing("a", backend)],
    });

  it.each<Partial<RunnerExit>>([
    { signal: "SIGKILL" },
    { signal: "SIGTERM" },
    // The same as bubblewrap and Electron report it.
    { code: 137 },
    { code: 143 },
  ])("says nothing about the GPU if the system killed it: %j", (exit) => {
    for (const _ of [1, 2, 3]) expect(end(exit).pauseMs).toBeGreaterThan(0);
    expect(told).toEqual([]);
  });

  it.each<Partial<RunnerExit>>([{ signal: "SIGSEGV" }, { signal: "SIGABRT" }, { code: 139 }, { code: 134 }])(
    "counts a crash against the GPU: %j",
    (exit) => {
      end(exit);
      expect(told).toEqual(["cuda crashed"]);
    },
  );

  it.each<EndReason>(["abort", "yield", "rest", "memory"])(
    "does not if this program ended it: %s",
    (reason) => {
      end({ signal: "SIGKILL" }, reason);
      expect(told).toEqual([]);
    },
  );

  it("counts silence against it, and tells which backend has worked", () => {
    end({ signal: "SIGKILL" }, "silence");
    failures.succeeded(writing("b", "cuda"));
    expect(told).toEqual(["cuda crashed", "cuda worked"]);
  });
});

it("ends attempts that were not sent only if a pause begins", () => {
  const failures = new RunnerFailures(() => undefined, silentLog);
  const waiting = new Attempt({ attemptId: "w", model: { sha256: "m" } } as RunnerJob, "w", false, events);
  const ended = (endReason: EndReason | null) =>
    failures.ended({
      endReason,
      loading: null,
      exit: { code: null, signal: "SIGSEGV" },
      attempts: [writing("a", "cpu"), waiting],
    });
  expect(ended("abort").outcomes.has(waiting)).toBe(false);
  const { pauseMs, outcomes } = ended(null);
  expect(pauseMs).toBeGreaterThan(0);
  expect(outcomes.has(waiting)).toBe(true);
  expect(failures.isSuspect("a")).toBe(true);
  expect(failures.isSuspect("w")).toBe(false);
});
