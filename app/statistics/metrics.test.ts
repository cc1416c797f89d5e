import { assert, dictionary, double, property, string } from "fast-check";
import { describe, expect, it } from "vitest";
import { expositionOf } from "./exposition.ts";
import { type DeviceState, deviceStates, type Measured, metricsOf } from "./metrics.ts";
import { parseExposition, valueOf } from "./parse-exposition.fixture.ts";
import { sketchOf } from "./sketch.ts";
import { emptyTally } from "./tally.ts";

const devices = Object.fromEntries(deviceStates.map((state, at) => [state, at])) as Record<
  DeviceState,
  number
>;
const hostile = 'a"b\\c\nd{e="f"} 1';

const measured: Measured = {
  models: [
    {
      subject: hostile,
      tally: {
        ...emptyTally(),
        succeeded: 3,
        failed: 1,
        stolen: 2,
        promptTokens: 30,
        completionTokens: 9,
        micro: 2_500_000n,
        wait: sketchOf([10, 100, 1_000, 10_000_000]),
        run: sketchOf([2_000]),
      },
    },
    { subject: "", tally: { ...emptyTally(), expired: 4 } },
  ],
  lanes: [
    { laneId: "l1", kind: "chat", model: "m", ready: 5, waiting: 1, running: 2, oldestReadyAt: 1_500 },
    { laneId: "l2", kind: "chat", model: "m", ready: 0, waiting: 0, running: 0, oldestReadyAt: null },
  ],
  devices,
  held: { keys: 1_000_000n, escrow: 500_000n, devices: 0n },
};

const parse = (of: Measured) => parseExposition(expositionOf(metricsOf(of)));

describe("the metrics of an organization", () => {
  it("are valid in Prometheus' text format, and say what was measured", () => {
    const metrics = parse(measured);
    const model = hostile;
    expect(valueOf(metrics, "gleaner_jobs_total", { model, outcome: "succeeded" })).toBe(3);
    expect(valueOf(metrics, "gleaner_jobs_total", { model: "", outcome: "expired" })).toBe(4);
    expect(valueOf(metrics, "gleaner_jobs_stolen_total", { model })).toBe(2);
    expect(valueOf(metrics, "gleaner_tokens_total", { model, type: "completion" })).toBe(9);
    expect(valueOf(metrics, "gleaner_credits_spent_total", { model })).toBe(2.5);
    expect(valueOf(metrics, "gleaner_job_wait_seconds_bucket", { model, le: "0.128" })).toBe(2);
    expect(valueOf(metrics, "gleaner_job_wait_seconds_bucket", { model, le: "8388.608" })).toBe(3);
    expect(valueOf(metrics, "gleaner_job_wait_seconds_bucket", { model, le: "+Inf" })).toBe(4);
    expect(valueOf(metrics, "gleaner_job_wait_seconds_sum", { model })).toBe(10_001.11);
    expect(valueOf(metrics, "gleaner_job_run_seconds_count", { model })).toBe(1);
    expect(valueOf(metrics, "gleaner_devices", { state: "standby" })).toBe(devices.standby);
    expect(valueOf(metrics, "gleaner_credits", { holder: "escrow" })).toBe(0.5);
    const lane = { lane: "l1", kind: "chat", model: "m" };
    expect(valueOf(metrics, "gleaner_queue_jobs", { ...lane, state: "ready" })).toBe(5);
    expect(valueOf(metrics, "gleaner_queue_oldest_ready_timestamp_seconds", lane)).toBe(1.5);
    for (const { help } of metrics.values()) expect(help.length).toBeGreaterThan(10);
  });

  it("are valid without any job, lane or device", () => {
    const none = Object.fromEntries(deviceStates.map((state) => [state, 0])) as typeof devices;
    const metrics = parse({ ...measured, models: [], lanes: [], devices: none });
    expect(metrics.get("gleaner_jobs_total")?.samples).toEqual([]);
    expect(metrics.get("gleaner_devices")?.samples).toHaveLength(deviceStates.length);
  });

  it("keep any label and any number", () => {
    assert(
      property(dictionary(string({ minLength: 1 }), double({ noNaN: true })), (values) => {
        const samples = Object.entries(values).map(([label, value]) => ({ labels: { label }, value }));
        const metric = { name: "gleaner_x", type: "gauge" as const, help: "a\\b\nc", samples };
        const read = parseExposition(expositionOf([metric])).get("gleaner_x");
        expect(read?.help).toBe("a\\\\b\\nc");
        expect(read?.samples.map(({ labels, value }) => [labels["label"], value])).toEqual(
          samples.map(({ labels, value }) => [labels.label, value === 0 ? 0 : value]),
        );
      }),
    );
  });
});

describe("the check of the format", () => {
  it.each([
    ["a sample without HELP and TYPE", "a 1\n"],
    ["a repeated series", "# HELP a b\n# TYPE a gauge\na 1\na 2\n"],
    ["a quote that is not escaped", '# HELP a b\n# TYPE a gauge\na{b="c"d"} 1\n'],
    ["a counter without _total", "# HELP a b\n# TYPE a counter\na 1\n"],
    [
      "a histogram that falls",
      '# HELP a b\n# TYPE a histogram\na_bucket{le="1"} 2\na_bucket{le="+Inf"} 1\na_sum 1\na_count 1\n',
    ],
    ["an unfinished line", "# HELP a b\n# TYPE a gauge\na 1"],
  ])("finds %s", (_, text) => {
    expect(() => parseExposition(text)).toThrow();
  });
});
