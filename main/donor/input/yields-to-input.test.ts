import { describe, expect, it } from "vitest";
import { donating, standbyFor } from "../../../app/policy/decide.fixture.ts";
import type { Activity } from "../../../app/policy/decision.ts";
import { idleLimits } from "../../../app/policy/limits.fixture.ts";
import { defaultRules, type Rules } from "../../../app/policy/rules.ts";
import { yieldsToInput } from "./yields-to-input.ts";

const still: Activity = { ...donating, reason: "within-limits", limits: { ...idleLimits, stillSince: 4 } };
const limited: Partial<Rules> = { inUse: { mode: "limited", threads: 1, gpu: false, memoryMb: 1_024 } };

describe("yieldsToInput", () => {
  it.each<[string, Activity, boolean, Partial<Rules>, boolean]>([
    ["yields to input while donating on an idle computer", donating, false, {}, true],
    [
      "yields to input while donating within limits",
      { ...donating, reason: "within-limits" },
      false,
      {},
      true,
    ],
    ["yields to input while finishing a job", { ...donating, reason: "finishing" }, false, {}, true],
    ["does not yield to input while the threads rest already", still, false, {}, false],
    [
      "does not yield to input while its user wants it to donate now",
      { ...donating, reason: "donate-now" },
      false,
      {},
      false,
    ],
    [
      "does not yield to input on an unattended machine",
      { ...donating, reason: "unattended" },
      false,
      {},
      false,
    ],
    ["does not yield to input on standby", standbyFor("in-use"), false, {}, false],
    ["yields to input while downloading on an idle computer", standbyFor("no-model"), true, {}, true],
    [
      "does not yield to input while downloads are allowed in use",
      standbyFor("no-model"),
      true,
      limited,
      false,
    ],
    [
      "does not yield to input while downloading on an unattended machine",
      standbyFor("no-model"),
      true,
      { requireIdle: false },
      false,
    ],
  ])("%s", (_name, activity, isDownloading, rules, watched) => {
    expect(yieldsToInput(activity, isDownloading, { ...defaultRules, ...rules })).toBe(watched);
  });
});
