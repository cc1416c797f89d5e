import type { Handler, JobContext } from "@gleaner/queue/worker";
import { afterEach, beforeEach, expect, it } from "vitest";
import type { MeterReading } from "../../../app/energy/energy-account.ts";
import type { Hardware } from "../../../app/energy/estimate.ts";
import { type Known, known, unknown } from "../../../app/facts/facts.ts";
import type { EnergyMeter } from "../../sensors/energy/energy-meter.ts";
import { EnergyWatch } from "./energy-watch.ts";

let now = 0;
let reading: MeterReading | null = null;
let idle: Known<number>;
let gpu: Hardware["gpu"];
let ofCards: number | null;
let runnerLives: boolean;
let followed: Parameters<EnergyMeter["follow"]>[0] | null;
let watch: EnergyWatch;

beforeEach(() => {
  now = 0;
  reading = null;
  idle = known(600);
  gpu = "none";
  ofCards = null;
  runnerLives = false;
  followed = null;
  watch = new EnergyWatch({
    hardware: () => ({ threads: 4, busyShare: 1, gpu }),
    idle: () => idle,
    cardJoules: () => Promise.resolve(ofCards),
    isRunning: () => runnerLives,
    power: () => known("battery"),
    meter: {
      read: (_now, cards) =>
        cards === null ? reading : cards.joules === null ? null : { meter: "cards", joules: cards.joules },
      follow: (state) => (followed = state),
    },
    now: () => now,
  });
});

afterEach(() => watch.stop());

function context(attemptId: string, reports: unknown[]): JobContext {
  return {
    signal: new AbortController().signal,
    attemptId,
    jobId: `job of ${attemptId}`,
    kind: "chat",
    requirements: {},
    number: 1,
    remainingMs: null,
    fresh: undefined,
    append: () => undefined,
    report: (facts) => reports.push(facts),
    progress: () => undefined,
    submit: async () => [],
  };
}

/** A job of some seconds, after which the meter says something else. */
function job(seconds: number, after: MeterReading | null): Handler {
  return async (_payload, ctx) => {
    now += seconds * 1_000;
    reading = after;
    ctx.report({ usage: { promptTokens: 1 } });
    return await Promise.resolve({ text: "Hi" });
  };
}

it("adds the estimated energy to the report of a job where no meter can be read", async () => {
  const reports: unknown[] = [];
  await watch.metered(job(36, null))({}, context("a", reports));
  // 4 cores of 6.5 W for 36 s.
  const energy = { microWh: 260_000, source: "estimated" };
  expect(reports).toEqual([{ usage: { promptTokens: 1 }, energy }]);
});

it("adds the measured energy once it knows the power at rest", async () => {
  reading = { meter: "rapl", joules: 0 };
  await watch.metered(job(1, { meter: "rapl", joules: 10 }))({}, context("a", []));
  now += 20_000;
  reading = { meter: "rapl", joules: 110 };
  const reports: unknown[] = [];
  await watch.metered(job(36, { meter: "rapl", joules: 110 + 36 * 15 }))({}, context("b", reports));
  expect(reports).toMatchObject([{ energy: { microWh: 100_000, source: "measured" } }]);
});

it.each([known(5), unknown])("takes no time for rest in which somebody may work", async (seen) => {
  idle = seen;
  reading = { meter: "rapl", joules: 0 };
  await watch.metered(job(1, { meter: "rapl", joules: 10 }))({}, context("a", []));
  now += 20_000;
  reading = { meter: "rapl", joules: 110 };
  const reports: unknown[] = [];
  await watch.metered(job(36, { meter: "rapl", joules: 110 + 36 * 15 }))({}, context("b", reports));
  expect(reports).toMatchObject([{ energy: { source: "estimated" } }]);
});

it("reports nothing of a job that failed", async () => {
  const reports: unknown[] = [];
  const failing: Handler = async () => await Promise.reject(new Error("no"));
  await expect(watch.metered(failing)({}, context("a", reports))).rejects.toThrow("no");
  expect(reports).toEqual([]);
});

it("asks for the cards' counter before and after a job that uses one", async () => {
  gpu = "card";
  ofCards = 1_000;
  const use =
    (joules: number, seconds: number): Handler =>
    async (_payload, ctx) => {
      now += seconds * 1_000;
      ofCards = (ofCards ?? 0) + joules;
      ctx.report({ usage: { promptTokens: 1 } });
      return await Promise.resolve({ text: "Hi" });
    };
  await watch.metered(use(10, 1))({}, context("a", []));
  // 80 W at rest.
  now += 20_000;
  ofCards += 1_600;
  const reports: unknown[] = [];
  await watch.metered(use(36 * 180, 36))({}, context("b", reports));
  expect(reports).toMatchObject([{ energy: { microWh: 1_000_000, source: "measured" } }]);
});

it("tells the meter whether there is something to measure: a job, or a runner between two jobs", async () => {
  const during: unknown[] = [];
  const looking: Handler = async (_payload, _ctx) => {
    during.push(followed);
    return await Promise.resolve({ text: "Hi" });
  };
  await watch.metered(looking)({}, context("a", []));
  expect(during).toEqual([{ running: true, onBattery: true }]);
  expect(followed).toEqual({ running: false, onBattery: true });
  runnerLives = true;
  await watch.metered(looking)({}, context("b", []));
  expect(followed).toEqual({ running: true, onBattery: true });
  watch.stop();
  expect(followed).toEqual({ running: false, onBattery: true });
});
