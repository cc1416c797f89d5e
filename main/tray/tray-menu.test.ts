import { describe, expect, it } from "vitest";
import { calls } from "../../app/contract/donor-calls.ts";
import type { DonorSnapshot } from "../../app/contract/snapshot.ts";
import { idleLimits } from "../../app/policy/limits.fixture.ts";
import { type StandbyReason, standbyReasons } from "../../app/policy/reasons.ts";
import { defaultRules } from "../../app/policy/rules.ts";
import { type TrayEntry, trayMenu } from "./tray-menu.ts";
import { trayState, trayTooltip } from "./tray-state.ts";

const now = new Date(2026, 10, 21, 18, 30).getTime();
const idle: Parameters<typeof trayMenu>[0] = {
  activity: {
    kind: "donating",
    reason: "idle",
    since: now,
    limits: idleLimits,
  },
  work: null,
  models: [],
  pause: null,
  donateNowUntil: null,
  finishThenPause: false,
  rules: defaultRules,
  device: { id: "d1", name: "Ada's ThinkPad" },
};
const labels = (entries: readonly TrayEntry[]): string[] =>
  entries.map((entry) => (entry.kind === "separator" ? "-" : entry.label));

describe("trayMenu", () => {
  it("offers to pause and to donate now while donating", () => {
    expect(labels(trayMenu(idle))).toEqual([
      "Gleaner: Idle, donating",
      "-",
      "Pause",
      "Donate now for 1 hour",
      "Open Gleaner",
      "-",
      "Quit",
    ]);
  });

  it("offers to resume first, and not to pause, while paused", () => {
    const paused = {
      ...idle,
      pause: { until: null },
      activity: { kind: "standby", reason: "paused-by-you", since: now },
    } as const;
    expect(labels(trayMenu(paused)).slice(0, 5)).toEqual([
      "Gleaner: Paused by you",
      "-",
      "Resume",
      "Donate now for 1 hour",
      "Open Gleaner",
    ]);
  });

  it("does not offer to donate now while the organization gives the device no jobs", () => {
    const waiting = {
      ...idle,
      activity: { kind: "standby", reason: "awaiting-approval", since: now },
    } as const;
    expect(labels(trayMenu(waiting))).toEqual([
      "Gleaner: Waiting for approval",
      "-",
      "Pause",
      "Open Gleaner",
      "-",
      "Quit",
    ]);
  });

  it("offers to stop donating now while that lasts", () => {
    expect(labels(trayMenu({ ...idle, donateNowUntil: now + 1 })).slice(2, 5)).toEqual([
      "Stop donating now",
      "Pause",
      "Open Gleaner",
    ]);
  });

  it("offers to finish a running job, and then to keep donating", () => {
    const work = { modelId: "m" } as DonorSnapshot["work"];
    expect(labels(trayMenu({ ...idle, work }))).toContain("Finish this job, then pause");
    const finishing = labels(trayMenu({ ...idle, work, finishThenPause: true }));
    expect(finishing).not.toContain("Finish this job, then pause");
    expect(finishing[2]).toBe("Keep donating");
  });

  it("does not offer to donate now if the rules forbid it", () => {
    const rules = { ...defaultRules, allowDonateNow: false };
    expect(labels(trayMenu({ ...idle, rules }))).not.toContain("Donate now for 1 hour");
  });

  it("offers only to join an organization and to quit before enrollment", () => {
    const fresh = {
      ...idle,
      device: null,
      activity: { kind: "standby", reason: "not-enrolled", since: now },
    } as const;
    expect(labels(trayMenu(fresh))).toEqual([
      "Gleaner: Not enrolled",
      "-",
      "Join your organization…",
      "-",
      "Quit",
    ]);
  });

  it("offers only calls with arguments that the contract accepts", () => {
    const actions = (entries: readonly TrayEntry[]): TrayEntry[] =>
      entries.flatMap((entry) => (entry.kind === "submenu" ? actions(entry.entries) : [entry]));
    const made = actions(trayMenu(idle)).flatMap((entry) =>
      entry.kind === "action" && entry.action.kind === "call" ? [entry.action] : [],
    );
    for (const action of made)
      expect(calls[action.name].argument.safeParse(action.argument).success).toBe(true);
  });
});

describe("the icon and its tooltip", () => {
  it("has a tray icon for every reason", () => {
    const stateOf = (reason: StandbyReason) =>
      trayState({ activity: { kind: "standby", reason, since: now } });
    const states = Object.fromEntries(
      (Object.keys(standbyReasons) as StandbyReason[]).map((r) => [r, stateOf(r)]),
    );
    expect(states).toMatchObject({
      "paused-by-you": "paused",
      offline: "offline",
      retired: "offline",
      "in-use": "standby",
    });
    expect(trayState(idle)).toBe("donating");
  });

  it("mentions a running job in the tooltip", () => {
    const work = { modelId: "m" } as DonorSnapshot["work"];
    expect(trayTooltip({ ...idle, work })).toBe("Gleaner: Idle, donating, working on a job");
  });
});
