import { expect, it } from "vitest";
import { snapshots } from "../../gallery/fixtures/snapshots.ts";
import { lookOf } from "./looks.ts";
import { remedyOf } from "./remedies.ts";

const all = snapshots(0);
const standby = (reason: string) => ({ kind: "standby", reason }) as const;

it("names the rule that decides about a reason, unless the organization locked it", () => {
  expect(remedyOf(standby("on-battery"), all.standby)).toEqual({ kind: "rule", name: "allowOnBattery" });
  expect(remedyOf(standby("on-battery"), all.ruled)).toEqual({ kind: "locked", name: "allowOnBattery" });
  expect(remedyOf(standby("offline"), all.standby)).toBeNull();
  expect(remedyOf(standby("constructor"), all.standby)).toBeNull();
  expect(remedyOf({ kind: "donating", reason: "idle" }, all.standby)).toBeNull();
});

it("offers to resume only while it is paused", () => {
  expect(remedyOf(standby("paused-by-you"), all.paused)).toEqual({ kind: "resume" });
  expect(remedyOf(standby("paused-by-you"), all.standby)).toBeNull();
});

it("offers the start at login where the program can do that and does not", () => {
  const stopped = { kind: "not-running", reason: "stopped" } as const;
  expect(remedyOf(stopped, all.standby)).toBeNull();
  const able = { ...all.standby, startAtLogin: { problem: null } };
  expect(remedyOf(stopped, able)).toEqual({ kind: "rule", name: "startAtLogin" });
  expect(remedyOf(stopped, { ...able, rules: { ...able.rules, startAtLogin: true } })).toBeNull();
});

it("draws each kind of span in its own way, also reasons of another version", () => {
  expect(
    ["in-use", "on-battery", "paused-by-you", "offline", "constructor"].map((reason) =>
      lookOf(standby(reason)),
    ),
  ).toEqual(["in-use", "rule", "paused", "service", "rule"]);
  expect(lookOf({ kind: "unknown", reason: "not-recorded" })).toBe("not-recorded");
});
