import { describe, expect, it } from "vitest";
import { idleLimits as limits } from "../policy/limits.fixture.ts";
import { type StandbyReason, standbyReasons } from "../policy/reasons.ts";
import { defaultRules as rules } from "../policy/rules.ts";
import type { DonorProblem } from "./membership.ts";
import { needsYou, wayOut } from "./needs-you.ts";

const on = (reason: StandbyReason) => ({ activity: { kind: "standby", reason, since: 0 }, rules }) as const;
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
    ["untrusted-server", "restart", undefined],
    ["other-name", "restart", undefined],
    ["wrong-server", "restart", undefined],
    ["other-key", "restart", "Leave and join again…"],
  ] as const)("says in one sentence what %s needs", (kind, remedy, label) => {
    const needs = needsYou({ ...on("not-enrolled"), problem: withProblem(kind, remedy) });
    expect(needs?.sentence).toMatch(/^Gleaner [^.]+\.$/);
    expect(needs?.action?.label).toBe(label);
    expect(needsYou({ ...on("not-enrolled"), problem: withProblem(kind, "wait") })).toBeNull();
  });

  it("does not offer to leave where the organization forbids it", () => {
    expect(needsYou(on("other-key"))?.action?.tab).toBe("settings");
    expect(needsYou({ ...on("other-key"), rules: { ...rules, allowLeave: false } })?.action).toBeNull();
  });

  it("offers a retired computer to join again, although it needs nothing", () => {
    expect(needsYou(on("retired"))).toBeNull();
    expect(wayOut(on("retired"))?.label).toBe("Leave and join again…");
    expect(wayOut({ ...on("retired"), rules: { ...rules, allowLeave: false } })).toBeNull();
    expect(wayOut(on("other-key"))).toEqual(needsYou(on("other-key"))?.action);
    expect(wayOut(on("in-use"))).toBeNull();
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
