import { UnknownWorkerError } from "@gleaner/queue/worker";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { silentLog } from "../../log.ts";
import type { ReportedModel } from "../organization/organization.ts";
import { ModelReport, reportDue, reportedModel } from "./model-report.ts";

const at = (downloadedBytes: number): ReportedModel => ({
  modelId: "m",
  state: "downloading",
  downloadedBytes,
});
const ready: ReportedModel = { modelId: "m", state: "ready" };

const fast = (generate: number): ReportedModel => ({
  ...ready,
  speed: { prefill: 1_000, generate, backend: "cpu" },
});

describe("when to tell", () => {
  it.each([
    ["the first time: now", null, [ready], 100],
    ["nothing new: never", { models: [ready], at: 0 }, [ready], null],
    ["a transition: now", { models: [at(1)], at: 99 }, [ready], 100],
    ["another model: now", { models: [ready], at: 99 }, [ready, { ...ready, modelId: "n" }], 100],
    ["bytes: half a minute after the last time", { models: [at(1)], at: 90 }, [at(2)], 30_090],
    ["a first speed: now", { models: [ready], at: 99 }, [fast(100)], 100],
    ["a speed a little different: never", { models: [fast(100)], at: 0 }, [fast(119)], null],
    ["a speed far different: now", { models: [fast(100)], at: 99 }, [fast(121)], 100],
    ["bytes, long after: now", { models: [at(1)], at: -30_000 }, [at(2)], 100],
  ] as const)("%s", (_name, told, models, due) => {
    expect(reportDue(told, models, 100)).toBe(due);
  });
});

describe("telling", () => {
  let heard: (readonly ReportedModel[])[];
  let refusal: Error | null;
  let report: ModelReport;

  beforeEach(() => {
    vi.useFakeTimers();
    heard = [];
    refusal = null;
    const organization = {
      reportModels: async (models: readonly ReportedModel[]) => {
        if (refusal !== null) throw refusal;
        heard.push(models);
      },
    };
    report = new ModelReport(organization, silentLog, () => 1_000);
  });

  afterEach(() => {
    report.stop();
    vi.useRealTimers();
  });

  it("waits for a connection, and tells a new one everything", async () => {
    report.setModels([ready]);
    expect(heard).toEqual([]);
    report.greeted();
    await vi.advanceTimersByTimeAsync(0);
    report.greeted();
    await vi.advanceTimersByTimeAsync(0);
    expect(heard).toEqual([[ready], [ready]]);
  });

  it("tells of bytes every half minute, the latest, and of the end at once", async () => {
    report.greeted();
    for (let bytes = 0; bytes < 90; bytes += 1) {
      report.setModels([at(bytes)]);
      await vi.advanceTimersByTimeAsync(1_000);
    }
    expect(heard.map(([model]) => model?.downloadedBytes)).toEqual([0, 29, 59, 89]);
    report.setModels([ready]);
    await vi.advanceTimersByTimeAsync(0);
    expect(heard.at(-1)).toEqual([ready]);
    await vi.advanceTimersByTimeAsync(120_000);
    expect(heard).toHaveLength(5);
  });

  it("says again what was refused, but not to one that does not know this device", async () => {
    refusal = new Error("no");
    report.greeted();
    report.setModels([ready]);
    await vi.advanceTimersByTimeAsync(0);
    refusal = null;
    await vi.advanceTimersByTimeAsync(1_000);
    expect(heard).toEqual([[ready]]);
    refusal = new UnknownWorkerError("gone");
    report.setModels([at(1)]);
    await vi.advanceTimersByTimeAsync(0);
    refusal = null;
    await vi.advanceTimersByTimeAsync(60_000);
    expect(heard).toHaveLength(1);
  });
});

it("tells no detail of a reason, and leaves out what is not known", () => {
  const why = { reason: "disk-full", detail: "/home/ada/models" } as const;
  expect(reportedModel({ modelId: "m", sizeBytes: 1, state: "waiting", why }, null)).toEqual({
    modelId: "m",
    state: "waiting",
    why: "disk-full",
  });
  const view = { modelId: "m", sizeBytes: 9, state: "ready" } as const;
  expect(reportedModel(view, { prefill: 2, generate: 1, backend: "cpu" })).toEqual({
    modelId: "m",
    state: "ready",
    speed: { prefill: 2, generate: 1, backend: "cpu" },
  });
});
