import { describe, expect, it } from "vitest";
import { idleLimits as limits } from "../policy/limits.fixture.ts";
import { type StandbyReason, standbyReasons } from "../policy/reasons.ts";
import type { RuleLayer } from "../policy/rule-layers.ts";
import { defaultRules as rules } from "../policy/rules.ts";
import type { DonorProblem } from "./membership.ts";
import { mayLeave, needsYou, wayOut } from "./needs-you.ts";
import type { UpdatesView } from "./updates.ts";

const on = (reason: StandbyReason) =>
  ({
    activity: { kind: "standby", reason, since: 0 },
    rules,
    ruleLayers: { from: { allowLeave: "default" } },
  }) as const;
const lockedIn = (by: RuleLayer) => ({
  rules: { ...rules, allowLeave: false },
  ruleLayers: { from: { allowLeave: by } },
});
const withProblem = (kind: DonorProblem["kind"], remedy: DonorProblem["remedy"]) =>
  ({ kind, remedy, sentence: "More." }) as const;

describe("needsYou", () => {
  it("asks only for what no other person and no time can mend", () => {
    const asking = (Object.keys(standbyReasons) as StandbyReason[]).filter(
      (reason) => needsYou(on(reason)) !== null,
    );
    expect(asking.toSorted()).toEqual(["disk-full", "not-enrolled", "other-key", "outdated", "wrong-server"]);
  });

  it("asks for nothing while it donates or while its person paused it", () => {
    const problem = withProblem("untrusted-server", "restart");
    const donating = { kind: "donating", reason: "idle", since: 0, limits } as const;
    expect(needsYou({ ...on("offline"), activity: donating, problem })).toBeNull();
    expect(needsYou({ ...on("paused-by-you"), problem })).toBeNull();
    expect(needsYou({ ...on("offline"), problem })).not.toBeNull();
  });

  it.each([
    ["code-refused", "code", "Join your organization…"],
    ["identity-damaged", "code", "Join your organization…"],
    ["untrusted-server", "restart", "Show details for your administrator…"],
    ["other-name", "restart", "Show details for your administrator…"],
    ["wrong-server", "restart", "Show details for your administrator…"],
    ["other-key", "restart", "Leave and join again…"],
  ] as const)("says in one sentence what %s needs", (kind, remedy, label) => {
    const needs = needsYou({ ...on("not-enrolled"), problem: withProblem(kind, remedy) });
    expect(needs?.sentence).toMatch(/^Gleaner [^.]+\.$/);
    expect(needs?.action.label).toBe(label);
    expect(needsYou({ ...on("not-enrolled"), problem: withProblem(kind, "wait") })).toBeNull();
  });

  it.each([
    ["disk-full", "models"],
    ["outdated", "about"],
    ["wrong-server", "about"],
    ["not-enrolled", "now"],
  ] as const)("leads from %s to the page %s", (reason, tab) => {
    expect(needsYou(on(reason))?.action.tab).toBe(tab);
  });

  it("leads to the updates only where the program updates itself", () => {
    const itself = {
      kind: "on",
      channel: "stable",
      lookedAt: null,
      problem: null,
      next: null,
      byItself: true,
      rolledBack: null,
    } as const;
    const outdated = on("outdated");
    const labelWith = (updates?: UpdatesView) =>
      needsYou(updates === undefined ? outdated : { ...outdated, updates })?.action.label;
    expect(labelWith(itself)).toBe("See updates…");
    expect(labelWith({ kind: "off", why: "managed" })).toBe("Show details for your administrator…");
    expect(labelWith()).toBe("Show details for your administrator…");
  });

  it("offers to leave where that is allowed", () => {
    expect(needsYou(on("other-key"))?.action.tab).toBe("settings");
    expect(needsYou({ ...on("other-key"), ...lockedIn("organization") })?.action.tab).toBe("settings");
    expect(needsYou({ ...on("other-key"), ...lockedIn("managed") })?.action.tab).toBe("about");
  });

  it("offers a retired computer to join again, although it needs nothing", () => {
    expect(needsYou(on("retired"))).toBeNull();
    expect(wayOut(on("retired"))?.label).toBe("Leave and join again…");
    expect(wayOut({ ...on("retired"), ...lockedIn("organization") })?.tab).toBe("settings");
    expect(wayOut({ ...on("retired"), ...lockedIn("managed") })?.tab).toBe("about");
    expect(wayOut(on("other-key"))).toEqual(needsYou(on("other-key"))?.action);
    expect(wayOut(on("in-use"))).toBeNull();
  });

  it("keeps a computer in an organization that locks it in, as long as it can get jobs", () => {
    expect(mayLeave(on("in-use"))).toBe(true);
    expect(mayLeave({ ...on("in-use"), ...lockedIn("organization") })).toBe(false);
    expect(mayLeave({ ...on("retired"), ...lockedIn("organization") })).toBe(true);
    expect(mayLeave({ ...on("other-key"), ...lockedIn("organization") })).toBe(true);
    // It would join again by the managed code.
    expect(mayLeave({ ...on("retired"), ...lockedIn("managed") })).toBe(false);
  });

  it("names the version that the organization needs", () => {
    const organization = { name: "Acme", needsVersion: "0.3.0" };
    expect(needsYou({ ...on("outdated"), organization })?.sentence).toContain("an update to 0.3.0");
  });

  it("asks for a word to the administrator if a refused list leaves no models", () => {
    const organization = { name: "Acme", problem: "The list was changed." };
    expect(needsYou({ ...on("no-model"), organization })?.sentence).toContain("tell your administrator");
    expect(needsYou({ ...on("in-use"), organization })).toBeNull();
  });
});
