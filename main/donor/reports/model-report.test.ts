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

describe("reportDue", () => {
  it.each([
    ["now if nothing was reported yet", null, [ready], 100],
    ["never if nothing changed", { models: [ready], at: 0 }, [ready], null],
    ["now on a transition", { models: [at(1)], at: 99 }, [ready], 100],
    ["now for another model", { models: [ready], at: 99 }, [ready, { ...ready, modelId: "n" }], 100],
    [
      "half a minute after the last report if only the bytes changed",
      { models: [at(1)], at: 90 },
      [at(2)],
      30_090,
    ],
    ["now for a first speed", { models: [ready], at: 99 }, [fast(100)], 100],
    ["never if a speed changed a little", { models: [fast(100)], at: 0 }, [fast(119)], null],
    ["now if a speed changed much", { models: [fast(100)], at: 99 }, [fast(121)], 100],
    ["now if the bytes changed long after the last report", { models: [at(1)], at: -30_000 }, [at(2)], 100],
  ] as const)("reports models %s", (_when, told, models, due) => {
    expect(reportDue(told, models, 100)).toBe(due);
  });
});

describe("ModelReport", () => {
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

  it("waits for a connection, and reports all models on each new one", async () => {
    report.setModels([ready]);
    expect(heard).toEqual([]);
    report.greeted();
    await vi.advanceTimersByTimeAsync(0);
    report.greeted();
    await vi.advanceTimersByTimeAsync(0);
    expect(heard).toEqual([[ready], [ready]]);
  });

  it("reports the latest bytes every half minute, and the end of a download at once", async () => {
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

  it("repeats a refused report, but not to a backend that does not know the device", async () => {
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
    report.setModels([at(2)]);
    await vi.advanceTimersByTimeAsync(60_000);
    expect(heard).toHaveLength(1);
    report.greeted();
    await vi.advanceTimersByTimeAsync(0);
    expect(heard).toEqual([[ready], [at(2)]]);
  });
});

it("reports a reason without its detail, and leaves unknown values out", () => {
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
