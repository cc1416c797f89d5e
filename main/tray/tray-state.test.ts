import { existsSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { DonorSnapshot } from "../../app/contract/snapshot.ts";
import { idleLimits } from "../../app/policy/limits.fixture.ts";
import { activityReasons, type StandbyReason, standbyReasons } from "../../app/policy/reasons.ts";
import { defaultRules } from "../../app/policy/rules.ts";
import { traySentence, trayState } from "./tray-state.ts";

const now = new Date(2026, 10, 21, 18, 30).getTime();
const idle: Parameters<typeof trayState>[0] = {
  activity: { kind: "donating", reason: "idle", since: now, limits: idleLimits },
  work: null,
  pause: null,
  rules: defaultRules,
  ruleLayers: { from: { allowLeave: "default" } },
  organization: { name: "Acme" },
};
const work = { modelId: "m" } as DonorSnapshot["work"];
const standby = (reason: StandbyReason) =>
  ({ ...idle, activity: { kind: "standby", reason, since: now } }) as const;
const unreachable = { kind: "unreachable", sentence: "It is not there.", remedy: "wait" } as const;

describe("trayState", () => {
  it("is calm in use, and shows pauses, lost connections and what only a person can mend", () => {
    const states = Object.fromEntries(
      (Object.keys(standbyReasons) as StandbyReason[]).map((reason) => [reason, trayState(standby(reason))]),
    );
    expect(states).toMatchObject({
      "in-use": "standby",
      starting: "standby",
      "awaiting-approval": "standby",
      "paused-by-you": "paused",
      "paused-in-console": "paused",
      "paused-by-server": "paused",
      offline: "offline",
      retired: "offline",
      "not-enrolled": "needs-you",
      outdated: "needs-you",
    });
  });

  it("shows work apart from waiting for work", () => {
    expect(trayState(idle)).toBe("donating");
    expect(trayState({ ...idle, work })).toBe("working");
  });

  it("is offline while a computer cannot reach the organization that it wants to join", () => {
    expect(trayState({ ...standby("not-enrolled"), problem: unreachable })).toBe("offline");
  });

  it.each(["working", "donating", "standby", "paused", "needs-you", "offline"])(
    "has the icons of %s for each system",
    (state) => {
      const icons = join(import.meta.dirname, "../../resources/icons/tray");
      for (const end of [".png", "@2x.png", ".ico", "Template.png", "Template@2x.png"])
        expect(existsSync(join(icons, state + end)), state + end).toBe(true);
    },
  );
});

describe("traySentence", () => {
  it.each(Object.entries(activityReasons))("has one short sentence about Gleaner for %s", (_, { brief }) => {
    expect(brief).toMatch(/^Gleaner [^.:]+\.$/);
    expect(brief.length).toBeLessThanOrEqual(85);
  });

  it("says that a job runs", () => {
    expect(traySentence(idle, now)).toBe("Gleaner is ready for the next job while you are away.");
    expect(traySentence({ ...idle, work }, now)).toBe("Gleaner is working on a job for your organization.");
    const finishing = { ...idle, work, activity: { ...idle.activity, reason: "finishing" } } as typeof idle;
    expect(traySentence(finishing, now)).toBe("Gleaner finishes its job and then pauses.");
  });

  it("says how long a pause lasts", () => {
    const paused = standby("paused-by-you");
    expect(traySentence({ ...paused, pause: { until: null } }, now)).toBe(
      "Gleaner is paused until you resume it.",
    );
    const until = new Date(2026, 10, 22, 8, 0).getTime();
    expect(traySentence({ ...paused, pause: { until } }, now)).toBe(
      "Gleaner is paused until tomorrow 08:00.",
    );
  });

  it("says what only a person can mend, or that the server cannot be reached", () => {
    const fresh = standby("not-enrolled");
    const problem = { kind: "code-refused", sentence: "No.", remedy: "code" } as const;
    expect(traySentence({ ...fresh, problem }, now)).toContain("another enrollment code");
    expect(traySentence({ ...fresh, problem: unreachable }, now)).toContain("cannot reach");
  });
});
