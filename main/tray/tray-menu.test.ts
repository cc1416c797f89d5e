import { describe, expect, it } from "vitest";
import { calls } from "../../app/contract/donor-calls.ts";
import type { DonorSnapshot } from "../../app/contract/snapshot.ts";
import { idleLimits } from "../../app/policy/limits.fixture.ts";
import { defaultRules } from "../../app/policy/rules.ts";
import { type TrayEntry, trayMenu } from "./tray-menu.ts";

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
  organization: { name: "Acme" },
  earnings: null,
  pause: null,
  donateNowUntil: null,
  finishThenPause: false,
  rules: defaultRules,
  ruleLayers: { from: { allowLeave: "default" } },
  device: { id: "d1", name: "Ada's ThinkPad" },
};
const labels = (entries: readonly TrayEntry[]): string[] =>
  entries.map((entry) => (entry.kind === "separator" ? "-" : entry.label));

describe("trayMenu", () => {
  it("offers to pause and to donate now while donating", () => {
    expect(labels(trayMenu(idle, now))).toEqual([
      "Gleaner is ready for the next job while you are away.",
      "-",
      "Pause",
      "Donate now for 1 hour",
      "Open Gleaner",
      "Preferences…",
      "-",
      "Quit",
    ]);
  });

  it("offers a new version that is ready", () => {
    const on = {
      kind: "on",
      channel: "stable",
      lookedAt: now,
      problem: null,
      byItself: true,
      rolledBack: null,
      next: { version: "1.3.0", state: "ready" },
    } as const;
    expect(labels(trayMenu({ ...idle, updates: on }, now)).slice(-2)).toEqual([
      "Restart to update to 1.3.0",
      "Quit",
    ]);
    const downloading = { ...on, next: { version: "1.3.0", state: "downloading" } } as const;
    expect(labels(trayMenu({ ...idle, updates: downloading }, now)).at(-2)).toBe("-");
  });

  it("offers to resume first, and not to pause, while paused", () => {
    const paused = {
      ...idle,
      pause: { until: null },
      activity: { kind: "standby", reason: "paused-by-you", since: now },
    } as const;
    expect(labels(trayMenu(paused, now)).slice(0, 5)).toEqual([
      "Gleaner is paused until you resume it.",
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
    expect(labels(trayMenu(waiting, now))).toEqual([
      "Gleaner waits for an administrator to approve this computer.",
      "-",
      "Pause",
      "Open Gleaner",
      "Preferences…",
      "-",
      "Quit",
    ]);
  });

  it("offers to stop donating now while that lasts", () => {
    expect(labels(trayMenu({ ...idle, donateNowUntil: now + 1 }, now)).slice(2, 5)).toEqual([
      "Stop donating now",
      "Pause",
      "Open Gleaner",
    ]);
  });

  it("offers to finish a running job, and then to keep donating", () => {
    const work = { modelId: "m" } as DonorSnapshot["work"];
    expect(labels(trayMenu({ ...idle, work }, now))).toContain("Finish this job, then pause");
    const finishing = labels(trayMenu({ ...idle, work, finishThenPause: true }, now));
    expect(finishing).not.toContain("Finish this job, then pause");
    expect(finishing[2]).toBe("Keep donating");
  });

  it("does not offer to donate now if the rules forbid it", () => {
    const rules = { ...defaultRules, allowDonateNow: false };
    expect(labels(trayMenu({ ...idle, rules }, now))).not.toContain("Donate now for 1 hour");
  });

  it("does not offer to donate now while the list of models is refused", () => {
    const activity = { kind: "standby", reason: "no-model", since: 0 } as const;
    const refused = { ...idle, activity, organization: { name: "Acme", problem: "The list is refused." } };
    expect(labels(trayMenu(refused, now))).not.toContain("Donate now for 1 hour");
    const empty = { ...refused, organization: { name: "Acme" } };
    expect(labels(trayMenu(empty, now))).toContain("Donate now for 1 hour");
  });

  it("names today's jobs and credits once they are known", () => {
    const earnings = { balanceMicro: "48213000", jobsSucceeded: 1_248, todayMicro: "420000", todayJobs: 3 };
    expect(labels(trayMenu({ ...idle, earnings }, now))[1]).toBe("Today: 3 jobs, 0.42 credits");
    const one = { ...earnings, todayJobs: 1, todayMicro: "1000000" };
    expect(labels(trayMenu({ ...idle, earnings: one }, now))[1]).toBe("Today: 1 job, 1 credit");
  });

  it("offers first what only a person can mend", () => {
    const needy = {
      ...idle,
      activity: { kind: "standby", reason: "other-key", since: now },
    } as const;
    const [sentence, mend] = trayMenu(needy, now);
    expect(sentence).toEqual({ kind: "text", label: "Gleaner needs to join your organization again." });
    expect(mend).toEqual({
      kind: "action",
      label: "Leave and join again…",
      action: { kind: "open", tab: "settings" },
    });
  });

  it.each(["retired", "other-key"] as const)(
    "offers no pause to a computer that has to join again (%s)",
    (reason) => {
      const ended = {
        ...idle,
        pause: { until: null },
        activity: { kind: "standby", reason, since: now },
      } as const;
      expect(labels(trayMenu(ended, now)).slice(1)).toEqual([
        "Leave and join again…",
        "-",
        "Open Gleaner",
        "Preferences…",
        "-",
        "Quit",
      ]);
    },
  );

  it("offers only to join an organization, to open the window and to quit before enrollment", () => {
    const fresh = {
      ...idle,
      device: null,
      activity: { kind: "standby", reason: "not-enrolled", since: now },
    } as const;
    expect(labels(trayMenu(fresh, now))).toEqual([
      "Gleaner needs an enrollment code to join your organization.",
      "Join your organization…",
      "-",
      "Open Gleaner",
      "-",
      "Quit",
    ]);
  });

  it("offers only calls with arguments that the contract accepts", () => {
    const actions = (entries: readonly TrayEntry[]): TrayEntry[] =>
      entries.flatMap((entry) => (entry.kind === "submenu" ? actions(entry.entries) : [entry]));
    const made = actions(trayMenu(idle, now)).flatMap((entry) =>
      entry.kind === "action" && entry.action.kind === "call" ? [entry.action] : [],
    );
    for (const action of made)
      expect(calls[action.name].argument.safeParse(action.argument).success).toBe(true);
  });
});
