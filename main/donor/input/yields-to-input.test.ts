import { describe, expect, it } from "vitest";
import { donating, holdingFor } from "../../../app/policy/decide.fixture.ts";
import type { Activity } from "../../../app/policy/decision.ts";
import { idleLimits } from "../../../app/policy/limits.fixture.ts";
import { defaultRules, type Rules } from "../../../app/policy/rules.ts";
import { yieldsToInput } from "./yields-to-input.ts";

const still: Activity = { ...donating, reason: "within-limits", limits: { ...idleLimits, stillSince: 4 } };
const limited: Partial<Rules> = { inUse: { mode: "limited", threads: 1, gpu: false, memoryMb: 1_024 } };

describe("input is watched for", () => {
  it.each<[string, Activity, boolean, Partial<Rules>, boolean]>([
    ["by a donor that works while nobody is there", donating, false, {}, true],
    ["by one that works beside somebody", { ...donating, reason: "within-limits" }, false, {}, true],
    ["by one that finishes its job", { ...donating, reason: "finishing" }, false, {}, true],
    ["not by one that stands still already", still, false, {}, false],
    [
      "not by one whose person wants it to donate now",
      { ...donating, reason: "donate-now" },
      false,
      {},
      false,
    ],
    ["not by one at which nobody sits", { ...donating, reason: "unattended" }, false, {}, false],
    ["not by one that holds", holdingFor("in-use"), false, {}, false],
    ["by one that holds and downloads, while nobody is there", holdingFor("no-model"), true, {}, true],
    ["not by one that may download beside somebody", holdingFor("no-model"), true, limited, false],
    ["nor where nobody sits", holdingFor("no-model"), true, { requireIdle: false }, false],
  ])("%s", (_whom, activity, isDownloading, rules, watched) => {
    expect(yieldsToInput(activity, isDownloading, { ...defaultRules, ...rules })).toBe(watched);
  });
});
