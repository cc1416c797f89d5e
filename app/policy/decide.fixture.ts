import { expect, it } from "vitest";
import { type Facts, known, unknownComputer } from "../facts/facts.ts";
import { decide } from "./decide.ts";
import type { Activity } from "./decision.ts";
import type { DonateReason, Limits } from "./declare/activity.ts";
import { idleLimits } from "./limits.fixture.ts";
import { donateReasons, type StandbyReason } from "./reasons.ts";
import { defaultRules, type Rules } from "./rules.ts";

/** The time of the tests: a Tuesday, about ten seconds after 10:00. */
export const now = 1_000_010_250;
const tuesdayAtTen = 24 * 60 + 10 * 60;

export const away: Facts = {
  ...unknownComputer,
  now,
  minuteOfWeek: tuesdayAtTen,
  suspended: false,
  finishThenPause: false,
  idleSeconds: known(600),
  power: known("ac"),
  batteryPercent: known(90),
  otherCpuLoad: known(0.05),
  connection: "online",
  membership: "active",
  pause: null,
  donateNowUntil: null,
  gpuSampled: false,
  modelReady: true,
};

export const donating: Extract<Activity, { kind: "donating" }> = {
  kind: "donating",
  reason: "idle",
  since: 1,
  limits: idleLimits,
};
export const inUse: Activity = { kind: "standby", reason: "in-use", since: 2 };

export function standbyFor(reason: StandbyReason): Activity {
  return { kind: "standby", reason, since: 3 };
}

export type Edge = {
  /** The situation, as a clause after "when". */
  readonly when: string;
  readonly facts?: Partial<Facts>;
  readonly rules?: Partial<Rules>;
  /** Without it, a donating state and a standby state are both tested. */
  readonly from?: Activity;
  readonly to: StandbyReason | DonateReason;
  readonly limits?: Partial<Limits>;
  readonly clearSince?: number;
  readonly recheckAt?: number | null;
};

/** One test for each edge: the next activity, the effects and the time of the next check. */
export function testEdges(edges: readonly Edge[]): void {
  for (const edge of edges) {
    for (const from of edge.from === undefined ? [donating, inUse] : [edge.from]) {
      const change = from.reason === edge.to ? `stays ${edge.to}` : `goes from ${from.reason} to ${edge.to}`;
      it(`${change} when ${edge.when}`, () => testEdge(edge, from));
    }
  }
}

function testEdge(edge: Edge, from: Activity): void {
  const decision = decide(from, { ...away, ...edge.facts }, { ...defaultRules, ...edge.rules });
  const since = from.reason === edge.to ? from.since : now;
  expect(decision.recheckAt).toBe(edge.recheckAt ?? null);
  if (!Object.hasOwn(donateReasons, edge.to)) {
    const clear = edge.clearSince === undefined ? {} : { clearSince: edge.clearSince };
    expect(decision.next).toEqual({ kind: "standby", reason: edge.to, since, ...clear });
    expect(decision.effects).toEqual(from.kind === "donating" ? [{ kind: "yield", reason: edge.to }] : []);
    return;
  }
  const limits = { ...idleLimits, ...edge.limits };
  expect(decision.next).toEqual({ kind: "donating", reason: edge.to, since, limits });
  if (from.kind === "standby") expect(decision.effects).toEqual([{ kind: "accept", limits }]);
  else {
    const changed = JSON.stringify(from.limits) !== JSON.stringify(limits);
    expect(decision.effects).toEqual(changed ? [{ kind: "limit", limits }] : []);
  }
}
