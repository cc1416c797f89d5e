import { bucketOf, spans } from "../../app/statistics/spans.ts";
import type { Row } from "./copies.ts";
import type { Tables } from "./import-rows.ts";
import { row } from "./usage-rows.ts";

const quarterMs = spans.hour / 4;
const earnedMs = 8 * spans.day;
const shownDays = 8;
const spansPerDay = 48;
const models = 12;
const spanMs = spans.day / spansPerDay;

/** The rest of a device's history, besides its jobs: its states in the last days, and the earnings of each quarter of an hour. */
export function historyOf(organizationId: string, deviceId: string, now: number): Tables {
  const today = bucketOf(now, spans.day);
  const days = Array.from({ length: shownDays }, (_, at) => today - (at + 1) * spans.day);
  const first = bucketOf(now - earnedMs, quarterMs);
  const quarters = Array.from({ length: earnedMs / quarterMs }, (_, at) => first + at * quarterMs);
  return {
    deviceDays: days.map((startAt) => row({ organizationId, deviceId, startAt, spans: spansOf(startAt) })),
    earnings: quarters.map((startAt) =>
      row({ account: `device:${deviceId}`, startAt, micro: 588n, jobs: 14 }),
    ),
  };
}

function spansOf(startAt: number) {
  return Array.from({ length: spansPerDay }, (_, at) => ({
    at: startAt + at * spanMs,
    ...(at % 2 === 0 ? { state: "donating", reason: "idle" } : { state: "standby", reason: "in-use" }),
  }));
}

/** The models of a device that has measured the speed of each. */
export function measuredModels(): Row[] {
  return Array.from({ length: models }, (_, at) => ({
    modelId: `model-${String(at + 1)}b`,
    state: "ready",
    speed: { prefill: 420.5 - at, generate: 38.5 - at, backend: "cpu" },
  }));
}
