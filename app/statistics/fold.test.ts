import { describe, expect, it } from "vitest";
import { type EndedAttempt, type EndedJob, foldJobs } from "./fold.ts";
import { countOf, quantile } from "./sketch.ts";
import type { SubjectKind } from "./tally.ts";

const attempt = (over: Partial<EndedAttempt>): EndedAttempt => ({
  device: "a",
  group: "g",
  status: "succeeded",
  isSteal: false,
  startedAt: 1_000,
  endedAt: 1_400,
  ...over,
});

const job = (over: Partial<EndedJob> = {}): EndedJob => ({
  model: "m",
  key: "k",
  lane: "l",
  outcome: "succeeded",
  submittedAt: 900,
  waitMs: 100,
  usage: { promptTokens: 10, completionTokens: 3 },
  micro: 38n,
  energy: null,
  attempts: [attempt({})],
  owner: { kind: "member", id: "ann" },
  earnings: [{ device: "a", group: "g", micro: 38n }],
  ...over,
});

const only = (kind: SubjectKind, ...jobs: readonly EndedJob[]) => {
  const [first, ...others] = foldJobs(jobs)[kind];
  expect(others).toEqual([]);
  return first!;
};

describe("the tallies of jobs that ended", () => {
  it("count an answered job once for its model, lane, key and device", () => {
    const folded = foldJobs([job()]);
    expect(Object.fromEntries(Object.entries(folded).map(([kind, [each]]) => [kind, each?.subject]))).toEqual(
      {
        all: "all",
        model: "m",
        lane: "l",
        key: "k",
        member: "ann",
        team: "none",
        device: "a",
        group: "g",
      },
    );
    for (const [{ tally } = only("all", job())] of Object.values(folded)) {
      expect(tally).toMatchObject({ succeeded: 1, promptTokens: 10, completionTokens: 3, micro: 38n });
      expect(quantile(tally.wait, 0.5)).toBeCloseTo(100, -1);
      expect(quantile(tally.run, 0.5)).toBeCloseTo(400, -2);
    }
  });

  it("have the energy of each answered job, of the device that answered it, too", () => {
    const measured = job({ energy: { microWh: 90, source: "measured" } });
    const estimated = job({ energy: { microWh: 10, source: "estimated" } });
    const folded = foldJobs([measured, estimated, job()]);
    for (const [first] of Object.values(folded))
      expect(first?.tally.energy).toEqual({
        microWh: 100,
        measuredMicroWh: 90,
        runMs: 800,
        byHour: { 0: 100 },
      });
    expect(only("all", job()).tally.energy).toBeUndefined();
  });

  it("count a theft for the device that took the job, and a return for the one that lost it", () => {
    const attempts = [
      attempt({ device: "slow", status: "stolen" }),
      attempt({ device: "deaf", status: "stolen", isSteal: true }),
      attempt({ device: "busy", status: "released" }),
      attempt({ device: "gone", status: "lost" }),
      attempt({ device: "late", status: "outrun" }),
      attempt({ isSteal: true }),
    ];
    expect(only("model", job({ attempts })).tally).toMatchObject({
      succeeded: 1,
      stolen: 2,
      returned: 4,
      lost: 1,
    });
    const devices = new Map(foldJobs([job({ attempts })]).device.map((each) => [each.subject, each.tally]));
    expect(devices.get("slow")).toMatchObject({ stolen: 0, returned: 1, succeeded: 0, micro: 0n });
    expect(devices.get("deaf")).toMatchObject({ stolen: 1, returned: 1 });
    expect(devices.get("gone")).toMatchObject({ lost: 1 });
    expect(countOf(devices.get("gone")!.wait)).toBe(0);
    expect(devices.get("a")).toMatchObject({ succeeded: 1, stolen: 1, micro: 38n });
  });

  it("count failures that were retried apart from the one that ended the job", () => {
    const failed = attempt({ status: "failed" });
    const dead = job({
      outcome: "failed",
      usage: null,
      micro: 0n,
      attempts: [failed, failed, failed],
      earnings: [],
    });
    expect(only("key", dead).tally).toMatchObject({ failed: 1, retried: 2 });
    expect(only("device", dead).tally).toMatchObject({ failed: 3, retried: 0 });
    expect(only("key", job({ attempts: [failed, attempt({})] })).tally).toMatchObject({
      succeeded: 1,
      retried: 1,
    });
  });

  it("count a job that nobody started, without a wait", () => {
    const expired = job({
      outcome: "expired",
      waitMs: null,
      usage: null,
      micro: 0n,
      attempts: [],
      earnings: [],
    });
    const { tally } = only("lane", expired);
    expect(tally).toMatchObject({ expired: 1, succeeded: 0 });
    expect([countOf(tally.wait), countOf(tally.run)]).toEqual([0, 0]);
    expect(foldJobs([expired]).device).toEqual([]);
  });

  it("give the pay of a device that was outrun to that device", () => {
    const attempts = [attempt({ device: "slow", group: "h", status: "outrun" }), attempt({})];
    const earnings = [
      { device: "a", group: "g", micro: 38n },
      { device: "slow", group: "h", micro: 12n },
    ];
    const { device, group, key } = foldJobs([job({ attempts, earnings, micro: 50n })]);
    const paid = (all: typeof device) =>
      Object.fromEntries(all.map((each) => [each.subject, each.tally.micro]));
    expect(paid(device)).toEqual({ a: 38n, slow: 12n });
    expect(paid(group)).toEqual({ g: 38n, h: 12n });
    expect(paid(key)).toEqual({ k: 50n });
  });

  it("leave out a lane and devices whose records are gone", () => {
    const folded = foldJobs([job({ lane: null, attempts: [attempt({ device: null })], earnings: [] })]);
    expect(folded.lane).toEqual([]);
    expect(folded.device).toEqual([]);
    expect(folded.model).toHaveLength(1);
  });
});
