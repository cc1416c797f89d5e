import { describe, expect, it } from "vitest";
import type { EndReason } from "./process/process-exit.ts";
import { judge, outcomeOf, type ProcessEnd, type Verdict } from "./verdicts.ts";

type Job = Parameters<typeof judge>[1][number];

const crash: ProcessEnd = { reason: null, outside: false, loading: false, gpu: false };
const writing: Job = { sent: true, loaded: true, aborting: false, step: null };
const waiting: Job = { ...writing, loaded: false };
const unsent: Job = { ...waiting, sent: false };
const aborting: Job = { ...writing, aborting: true };
const at = (step: Job["step"]): Job => ({ ...writing, step });

type Case = readonly [string, Partial<ProcessEnd>, readonly Job[], readonly Verdict[], boolean];

const cases: readonly Case[] = [
  ["a step of its own", {}, [writing, at("grammar"), waiting], ["released", "caused", "released"], false],
  ["the same, on a GPU", { gpu: true }, [at("sample"), writing], ["caused", "released"], false],
  ["the same, without memory", { outside: true }, [at("sample"), writing], ["caused", "released"], false],
  ["the same, over its limit", { reason: "memory" }, [at("sample"), writing], ["caused", "released"], false],
  ["a comparison with a pattern", {}, [at("check"), writing], ["caused", "released"], false],
  ["two at such steps", {}, [at("sample"), at("sample"), writing], ["suspect", "suspect", "released"], false],
  ["one read its prompt", {}, [at("prefill"), writing], ["caused", "released"], true],
  ["the same, on a GPU", { gpu: true }, [at("prefill"), writing], ["suspect", "suspect"], true],
  ["several wrote", {}, [writing, writing, waiting], ["suspect", "suspect", "released"], true],
  ["only one wrote", {}, [writing, waiting, unsent], ["caused", "released", "released"], true],
  ["only one wrote, on a GPU", { gpu: true }, [writing, waiting], ["failed", "released"], true],
  ["the system killed it", { outside: true }, [writing, writing], ["released", "released"], true],
  ["the same, with one job", { outside: true }, [writing, waiting], ["failed", "released"], true],
  ["too much memory", { reason: "memory" }, [writing, writing], ["suspect", "suspect"], true],
  ["the same, with one job", { reason: "memory" }, [writing], ["failed"], true],
  ["during a load", { loading: true }, [waiting, waiting, unsent], ["failed", "released", "released"], true],
  ["before its start", {}, [unsent, unsent], ["failed", "released"], true],
  ["a canceled job's load", { loading: true }, [{ ...waiting, aborting: true }], ["aborted"], true],
  ["a canceled job's step", {}, [{ ...aborting, step: "grammar" }, writing], ["aborted", "released"], false],
  ["an abort that lasts", { reason: "abort" }, [aborting, writing], ["aborted", "released"], false],
  ["a yield", { reason: "yield" }, [writing, waiting], ["aborted", "aborted"], false],
];

describe("the verdicts after a process's end", () => {
  it.each(cases)("%s: %j", (_name, end, jobs, verdicts, ofDevice) => {
    const each = jobs.map((job) => ({ ...job }));
    expect(judge({ ...crash, ...end }, each)).toEqual({ verdicts, ofDevice });
  });

  it("charge at most one job, whatever has happened", () => {
    const steps: Job["step"][] = [null, "prompt", "grammar", "prefill", "sample", "check", "embed"];
    const jobs = [unsent, waiting, ...steps.flatMap((step) => [at(step), { ...aborting, step }])];
    const reasons: (EndReason | null)[] = [null, "silence", "memory", "flood", "abort", "yield", "rest"];
    for (const reason of reasons) {
      for (const [outside, loading, gpu] of [
        [false, false, false],
        [true, false, false],
        [false, true, false],
        [false, false, true],
      ] as const) {
        for (const a of jobs) {
          for (const b of jobs) {
            for (const c of jobs) {
              const trio = [{ ...a }, { ...b }, { ...c }];
              const { verdicts } = judge({ reason, outside, loading, gpu }, trio);
              const charged = verdicts.filter((each) => each === "caused" || each === "failed");
              expect(charged.length).toBeLessThanOrEqual(1);
              expect(verdicts.every((each, i) => trio[i]?.aborting !== true || each === "aborted")).toBe(
                true,
              );
            }
          }
        }
      }
    }
  });
});

describe("the outcome of a verdict", () => {
  it.each<[Verdict, EndReason | null, string]>([
    ["aborted", "abort", "aborted"],
    ["released", null, "released"],
    ["suspect", "silence", "released"],
    ["caused", "silence", "request_timeout"],
    ["caused", null, "request_crashed"],
    ["caused", "memory", "request_crashed"],
    ["failed", "silence", "runner_timeout"],
    ["failed", "memory", "out_of_memory"],
    ["failed", null, "runner_crashed"],
  ])("%s after %s is %s", (verdict, reason, expected) => {
    const outcome = outcomeOf(verdict, reason);
    expect(outcome.kind === "failed" ? outcome.error.code : outcome.kind).toBe(expected);
    if (outcome.kind === "failed") expect(outcome.error.retryable).toBe(true);
  });
});
