import { describe, expect, it } from "vitest";
import type { RequesterJob } from "../requests/requesterJob.ts";
import { composite } from "./composite.ts";

const usage = { promptTokens: 10, completionTokens: 3 };
const energy = { microWh: 5, source: "measured" } as const;
const error = { code: "x", message: "No." };

function job(jobId: string, changes: Partial<RequesterJob> = {}): RequesterJob {
  return {
    jobId,
    kind: "chat",
    callForm: null,
    modelId: "m",
    requires: {},
    status: "queued",
    waitsFor: null,
    outlook: null,
    priority: "normal",
    price: { promptMicro: 2n, completionMicro: 6n },
    pricePercent: 100,
    priceVersion: "1.0",
    submittedAt: 1,
    startedAt: null,
    finishedAt: null,
    attempts: 0,
    usage: null,
    energy: null,
    priceMicro: null,
    error: null,
    foundWrong: null,
    corrects: null,
    call: null,
    ...changes,
  };
}

const running = (id: string) => job(id, { status: "running", startedAt: 2, attempts: 1 });
const answered = (id: string, finishedAt: number) =>
  job(id, { status: "succeeded", startedAt: 2, finishedAt, attempts: 1, usage, energy, priceMicro: 38n });
const failed = (id: string, finishedAt: number) =>
  job(id, { status: "failed", startedAt: 2, finishedAt, attempts: 2, error });
const canceled = (id: string, finishedAt: number) => job(id, { status: "canceled", finishedAt });

type Jobs = Parameters<typeof composite>[0];
type End = Parameters<typeof composite>[1]["end"];
const of = (...jobs: Jobs) => composite(jobs, {});
const vote = {
  votes: 3,
  escalate: false,
  maxTokens: 8,
  idempotencyKey: "k",
  callHash: "h",
  isRepeated: false,
};
const ofVote = (jobs: Jobs, end?: NonNullable<End>) =>
  composite(jobs, { vote, ...(end === undefined ? {} : { end }) });

describe("a call of several jobs", () => {
  it("is queued until a device begins one, and tells why the last one waits", () => {
    const waits = of(job("a"), job("b", { waitsFor: "busy" }));
    expect(waits.job).toMatchObject({ status: "queued", waitsFor: "busy", finishedAt: null });
    expect(of(running("a"), job("b", { waitsFor: "busy" })).job).toMatchObject({
      status: "running",
      startedAt: 2,
      waitsFor: "busy",
    });
  });

  it("tells how a job waits for a device rather than one that a device holds ahead", () => {
    // A device holds the second one and has not started it, so that waits for nothing.
    const held = of(job("a", { waitsFor: "busy" }), job("b"));
    expect(held).toMatchObject({ waiting: "a", job: { waitsFor: "busy" } });
    expect(of(running("a"), job("b"))).toMatchObject({ waiting: "b", job: { waitsFor: null } });
  });

  it("runs until its last job has its answer, and then has their sums", () => {
    expect(of(answered("a", 5), running("b")).job).toMatchObject({
      status: "running",
      usage: null,
      priceMicro: null,
      energy: null,
    });
    expect(of(answered("a", 5), answered("b", 7)).job).toMatchObject({
      status: "succeeded",
      finishedAt: 7,
      attempts: 2,
      usage: { promptTokens: 20, completionTokens: 6 },
      priceMicro: 76n,
      energy: { microWh: 10, source: "measured" },
    });
  });

  it("has failed with the job that ended it, and tells the price of what was answered", () => {
    const by = (jobId: string, status: "failed" | "canceled") =>
      ({ at: 6, how: "failed", failed: { jobId, status } }) as const;
    const jobs: Jobs = [answered("a", 5), canceled("b", 6), failed("c", 6)];
    const end = composite(jobs, { end: by("c", "failed") });
    expect(end.failed).toBe("c");
    expect(end.job).toMatchObject({ status: "failed", error, finishedAt: 6, priceMicro: 38n });
    // The others end a little later.
    expect(composite([running("a"), failed("b", 6)], { end: by("b", "failed") }).job.status).toBe("failed");
    expect(composite([canceled("a", 4), running("b")], { end: by("a", "canceled") }).job).toMatchObject({
      status: "canceled",
      finishedAt: 6,
      priceMicro: null,
    });
  });

  it("with votes ends by their decision", () => {
    expect(ofVote([job("a")]).job.status).toBe("queued");
    expect(ofVote([failed("a", 4), answered("b", 5)]).job).toMatchObject({ status: "running" });
    const jobs: Jobs = [failed("a", 4), answered("b", 5), canceled("c", 6)];
    const decided = ofVote(jobs, { at: 9, how: "decided" });
    expect(decided).toMatchObject({ failed: null, job: { status: "succeeded", finishedAt: 9, error: null } });
    const first = { jobId: "a", status: "failed" } as const;
    const none = ofVote([failed("a", 4), failed("b", 5)], { at: 9, how: "failed", failed: first });
    expect(none).toMatchObject({ failed: "a", job: { status: "failed", error } });
    expect(ofVote(jobs, { at: 9, how: "canceled" })).toMatchObject({
      failed: null,
      job: { status: "canceled" },
    });
  });
});
