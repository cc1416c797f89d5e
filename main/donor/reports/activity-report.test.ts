import { oneToSixtySeconds, UnknownWorkerError } from "@gleaner/queue/worker";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { idleLimits } from "../../../app/policy/limits.fixture.ts";
import { silentLog } from "../../log.ts";
import { ActivityReport } from "./activity-report.ts";

const idle = { kind: "donating", reason: "idle", since: 1, limits: idleLimits } as const;
const inUse = { kind: "standby", reason: "in-use", since: 2 } as const;

let said: string[];
let organization: ConstructorParameters<typeof ActivityReport>[0]["organization"];
let refusals: Error[];
let report: ActivityReport;

beforeEach(() => {
  vi.useFakeTimers();
  said = [];
  refusals = [];
  organization = {
    report: async ({ activity: { reason }, rolledBackVersion }) => {
      said.push(rolledBackVersion === undefined ? reason : `${reason}, not ${rolledBackVersion}`);
      const refusal = refusals.shift();
      if (refusal !== undefined) throw refusal;
    },
  };
  report = reportAfter(null);
});

afterEach(() => {
  report.stop();
  vi.useRealTimers();
});

function reportAfter(rolledBackVersion: string | null): ActivityReport {
  return new ActivityReport({ organization, rolledBackVersion, log: silentLog }, oneToSixtySeconds);
}

const settle = (ms = 0): Promise<unknown> => vi.advanceTimersByTimeAsync(ms);

describe("ActivityReport", () => {
  it("reports each change once, after the backend accepted the connection", async () => {
    report.setActivity(idle, ["power"]);
    await settle();
    expect(said).toEqual([]);
    report.greeted();
    report.setActivity({ ...idle, since: 9 }, ["power"]);
    await settle();
    report.setActivity(inUse, ["power"]);
    await settle();
    expect(said).toEqual(["idle", "in-use"]);
  });

  it("reports again on the next connection", async () => {
    report.greeted();
    report.setActivity(idle, ["power"]);
    await settle();
    report.greeted();
    await settle();
    expect(said).toEqual(["idle", "idle"]);
  });

  it("repeats a refused report until it is accepted", async () => {
    refusals = [new Error("overloaded"), new Error("overloaded")];
    report.greeted();
    report.setActivity(idle, ["power"]);
    await settle(1_000 + 2_000);
    expect(said).toEqual(["idle", "idle", "idle"]);
    await settle(5 * 60_000);
    expect(said).toHaveLength(3);
  });

  it("repeats a refused report with the activity of that time", async () => {
    refusals = [new Error("overloaded")];
    report.greeted();
    report.setActivity(idle, ["power"]);
    await settle(10);
    report.setActivity(inUse, ["power"]);
    await settle(60_000);
    expect(said).toEqual(["idle", "in-use"]);
  });

  it("reports the version that did not work here with each activity", async () => {
    report = reportAfter("0.3.0");
    report.greeted();
    report.setActivity(idle, []);
    await settle();
    report.setActivity(inUse, []);
    await settle();
    expect(said).toEqual(["idle, not 0.3.0", "in-use, not 0.3.0"]);
  });

  it("does not repeat a report to a backend that does not know the device", async () => {
    refusals = [new UnknownWorkerError()];
    report.greeted();
    report.setActivity(idle, ["power"]);
    await settle(5 * 60_000);
    expect(said).toEqual(["idle"]);
  });
});
