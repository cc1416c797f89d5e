import { expect, it } from "vitest";
import type { DonateReason } from "../../../app/policy/declare/activity.ts";
import { donateReasons, type StandbyReason, standbyReasons } from "../../../app/policy/reasons.ts";
import { describeDevice as describe, rolledBackSentence, versionWords } from "./describe-device.ts";

const now = Date.UTC(2026, 10, 22, 21);
const healthy = {
  hasLeft: false,
  pause: null,
  requestedPause: null,
  needsVersion: null,
  signs: true,
  version: "0.2.0",
} as const;
const active = { ...healthy, status: "active", online: true } as const;
const describeDevice = (device: Parameters<typeof describe>[0]) => describe(device, now);

it("shows retired and pending before offline, and offline before an old activity", () => {
  const activity = { kind: "donating", reason: "idle" } as const;
  expect(describeDevice({ ...healthy, status: "retired", online: false, activity }).short).toBe("Retired");
  const left = { ...healthy, status: "retired", hasLeft: true } as const;
  expect(describeDevice({ ...left, online: false, activity }).short).toBe("Left");
  expect(describeDevice({ ...healthy, status: "pending", online: false, activity }).short).toBe(
    "Waiting for approval",
  );
  expect(describeDevice({ ...healthy, status: "active", online: false, activity }).short).toBe("Offline");
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

it("tells why a device was paused by itself, and which version an old one needs", () => {
  const pause = { at: now - 60_000, failed: 9, of: 10, cause: "answers" } as const;
  const paused = describeDevice({ ...active, activity: null, status: "paused", pause });
  expect(paused).toMatchObject({ tone: "bad", short: "Paused automatically" });
  expect(paused.sentence).toMatch(
    /^Since .+, because 9 of its last 10 jobs failed: most of its answers did not fit the requests\.$/,
  );
  const old = { ...active, activity: null, status: "outdated", needsVersion: "0.3.0" } as const;
  expect(describeDevice(old)).toEqual({
    tone: "hold",
    short: "Update needed",
    sentence: "Its Gleaner 0.2.0 is too old, so it gets no jobs. Update it to 0.3.0 or newer.",
  });
  expect(describeDevice({ ...old, version: "0.1.0", needsVersion: "0.1.0", signs: false }).sentence).toBe(
    "Its Gleaner 0.1.0 does not sign results, so it gets no jobs. Install the newest Gleaner on it.",
  );
});

it("tells who paused a device and until when, also while it finishes its jobs", () => {
  const asked = { at: now, until: null, by: "Ada", ofOrganization: false, finishing: false };
  const paused = { ...active, activity: null, status: "paused", requestedPause: asked } as const;
  expect(describeDevice(paused)).toEqual({
    tone: "hold",
    short: "Paused",
    sentence: "Paused by Ada until somebody resumes it.",
  });
  const ends = { ...asked, until: now + 3_600_000 };
  expect(describeDevice({ ...paused, requestedPause: ends }).sentence).toMatch(
    /^Paused by Ada until .*\d:\d\d\.$/,
  );
  const activity = { kind: "donating", reason: "idle" } as const;
  const finishing = { ...active, activity, requestedPause: { ...asked, finishing: true } };
  expect(describeDevice(finishing).short).toBe("Finishing, then pausing");
});

it("tells which version a device has, was asked for, and went back from", () => {
  const words = (asked: string | null, rolledBackVersion: string | null, version = "0.4.0") =>
    versionWords(version, {
      askedVersion: asked === null ? null : { version: asked, at: now },
      rolledBackVersion,
    });
  expect(words(null, null)).toBe("0.4.0");
  expect(words("0.5.0", null)).toBe("0.4.0, asked for 0.5.0");
  expect(words("0.5.0", null, "")).toBe("asked for 0.5.0");
  expect(words("0.5.0", "0.5.0")).toBe("0.4.0, 0.5.0 did not work");
  expect(words(null, "0.5.0")).toBe("0.4.0, 0.5.0 did not work");
  expect(words("0.6.0", "0.5.0")).toBe("0.4.0, asked for 0.6.0");
  expect(versionWords("0.4.0", undefined)).toBe("0.4.0");
  expect(rolledBackSentence({ version: "0.4.0", rolledBackVersion: "0.5.0" })).toBe(
    "Version 0.5.0 did not work on this computer, so Gleaner went back to 0.4.0.",
  );
  expect(rolledBackSentence({ version: "0.4.0", rolledBackVersion: null })).toBeNull();
});
