import { expect, it } from "vitest";
import type { DonateReason } from "../../../app/policy/declare/activity.ts";
import { donateReasons, type StandbyReason, standbyReasons } from "../../../app/policy/reasons.ts";
import { describeDevice } from "./describe-device.ts";

const active = { status: "active", online: true } as const;

it("shows retired and pending before offline, and offline before an old activity", () => {
  const activity = { kind: "donating", reason: "idle" } as const;
  expect(describeDevice({ status: "retired", online: false, activity }).short).toBe("Retired");
  expect(describeDevice({ status: "pending", online: false, activity }).short).toBe("Waiting for approval");
  expect(describeDevice({ status: "active", online: false, activity }).short).toBe("Offline");
  expect(describeDevice({ ...active, activity })).toMatchObject({ tone: "good", short: "Idle, donating" });
  expect(describeDevice({ ...active, activity: null }).short).toBe("Starting");
});

it("never addresses the administrator as the donor", () => {
  for (const reason of Object.keys(standbyReasons) as StandbyReason[]) {
    const words = describeDevice({ ...active, activity: { kind: "holding", reason } });
    expect(`${words.short} ${words.sentence}`).not.toMatch(/\byou\b/i);
  }
  for (const reason of Object.keys(donateReasons) as DonateReason[]) {
    const words = describeDevice({ ...active, activity: { kind: "donating", reason } });
    expect(`${words.short} ${words.sentence}`).not.toMatch(/\byou\b/i);
  }
});
