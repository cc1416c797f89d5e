import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type JobContext, JobFailure, ReleaseJob } from "@gleaner/queue/worker";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type Facts, known, unknown, unknownComputer } from "../../app/facts/facts.ts";
import { defaultRules } from "../../app/policy/rules.ts";
import { silentLog } from "../log.ts";
import { DonorJournal } from "./donor-journal.ts";
import { type JobEvent, journaledHandler } from "./journaled-handler.ts";
import { readJournal } from "./read-journal.ts";

const facts = {
  ...unknownComputer,
  now: 5_000,
  suspended: false,
  idleSeconds: known(3.14159),
  power: known("ac"),
  otherCpuLoad: unknown,
} as unknown as Facts;

describe("a donor's journal", () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), "gleaner-journal-"));
  });
  afterEach(() => rm(folder, { recursive: true }));

  it("records only changes, with the facts that mattered", async () => {
    let now = 1_000;
    const journal = new DonorJournal(
      folder,
      () => facts,
      silentLog,
      () => now++,
    );
    journal.start("1.0.0");
    for (const since of [1, 2]) {
      journal.decided({ kind: "standby", reason: "in-use", since } as never, facts, defaultRules);
    }
    const model = { modelId: "m", sizeBytes: 5 };
    journal.models([{ ...model, state: "verifying" }]);
    journal.models([{ ...model, state: "verifying" }]);
    journal.models([{ ...model, state: "waiting", why: { reason: "metered", detail: null } }]);
    journal.models([{ ...model, state: "waiting", why: { reason: "in-use", detail: null } }]);
    journal.models([{ ...model, state: "ready" }]);
    journal.alive();
    const paused = { kind: "standby", reason: "paused-by-you", since: 1 } as const;
    journal.decided(paused, { ...facts, suspended: true }, defaultRules);
    journal.decided(paused, { ...facts, suspended: true }, defaultRules);
    journal.decided(paused, facts, defaultRules);
    journal.stop();
    expect(await readJournal(folder)).toEqual([
      { kind: "lifecycle", at: 1_000, event: "start", version: "1.0.0" },
      {
        kind: "activity",
        at: 1_001,
        activity: "standby",
        reason: "in-use",
        facts: { idleSeconds: 3.14, locked: null },
      },
      { kind: "model", at: 1_002, ...model, state: "verifying" },
      { kind: "model", at: 1_003, ...model, state: "waiting", why: "metered" },
      { kind: "model", at: 1_004, ...model, state: "waiting", why: "in-use" },
      { kind: "model", at: 1_005, ...model, state: "ready" },
      { kind: "facts", at: 1_006, facts: { idleSeconds: 3.14, power: "ac", otherCpuLoad: null } },
      { kind: "lifecycle", at: 1_007, event: "suspend" },
      { kind: "activity", at: 1_008, activity: "standby", reason: "paused-by-you", facts: {} },
      { kind: "lifecycle", at: 1_009, event: "resume" },
      { kind: "lifecycle", at: 1_010, event: "stop" },
    ]);
  });
});

describe("a journaled handler", () => {
  const secret = "zanzibar";
  const context = (signal: AbortSignal = new AbortController().signal): JobContext => ({
    signal,
    attemptId: "attempt",
    jobId: "job",
    kind: "chat",
    number: 1,
    remainingMs: null,
    fresh: undefined,
    requirements: { model: "m" },
    append: () => undefined,
    report: () => undefined,
    progress: () => undefined,
    submit: async () => [],
  });

  async function recorded(handler: () => Promise<string>, ctx = context()): Promise<JobEvent[]> {
    const entries: JobEvent[] = [];
    const job = journaledHandler(
      async (_payload, inner) => {
        inner.append(secret);
        inner.report({ usage: { promptTokens: 3, completionTokens: 4 }, note: secret });
        return handler();
      },
      (entry) => entries.push(entry),
    );
    await job({ messages: [secret] }, ctx).catch(() => undefined);
    expect(JSON.stringify(entries)).not.toContain(secret);
    expect(entries[0]).toEqual({ event: "begun" });
    return entries.slice(1);
  }

  it("records how each job ended, with counts but without text", async () => {
    const usage = { promptTokens: 3, completionTokens: 4 };
    expect(await recorded(async () => secret)).toMatchObject([{ event: "succeeded", ...usage }]);
    const failure = new JobFailure("runner_crashed", secret);
    expect(await recorded(() => Promise.reject(failure))).toMatchObject([
      { event: "failed", code: "runner_crashed" },
    ]);
    expect(await recorded(() => Promise.reject(new Error(secret)))).toMatchObject([
      { event: "failed", code: "handler_error" },
    ]);
    expect(await recorded(() => Promise.reject(new ReleaseJob()))).toMatchObject([{ event: "let-go" }]);
    expect(
      await recorded(() => Promise.reject(new Error(secret)), context(AbortSignal.abort())),
    ).toMatchObject([{ event: "let-go" }]);
  });
});
