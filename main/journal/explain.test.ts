import { describe, expect, it } from "vitest";
import { standbyReasons } from "../../app/policy/reasons.ts";
import type { JournalEntry } from "./entry.ts";
import { explain } from "./explain.ts";

const minute = 60_000;
const hour = 60 * minute;

const start = (at: number): JournalEntry => ({ kind: "lifecycle", at, event: "start" });
const stop = (at: number): JournalEntry => ({ kind: "lifecycle", at, event: "stop" });
const alive = (at: number): JournalEntry => ({ kind: "facts", at, facts: {} });
const activity = (
  at: number,
  kind: "donating" | "standby",
  reason: string,
  facts: Readonly<Record<string, number>> = {},
): JournalEntry => ({ kind: "activity", at, activity: kind, reason, facts });

/** The entries of a running donor, one every ten minutes. */
const aliveFrom = (from: number, to: number): readonly JournalEntry[] =>
  Array.from({ length: Math.floor((to - from) / (10 * minute)) }, (_, i) => alive(from + i * 10 * minute));

const spansIn = (entries: readonly JournalEntry[], since: number, now: number, running = true): string[] =>
  explain(entries, since, now, running).spans.map(
    ({ from, to, kind, reason }) => `${from / minute}-${to / minute} ${kind} ${reason}`,
  );

describe("an explanation", () => {
  it("lists the activities of a day with their reasons and facts", () => {
    const entries = [
      start(0),
      activity(minute, "standby", "in-use", { idleSeconds: 4 }),
      activity(20 * minute, "donating", "idle", { idleSeconds: 120 }),
      activity(40 * minute, "standby", "in-use", { idleSeconds: 0 }),
      activity(50 * minute, "standby", "paused-by-you"),
      ...aliveFrom(hour, 2 * hour),
      stop(2 * hour),
    ];
    const day = explain(entries, 0, 3 * hour);
    expect(day.spans.slice(0, 3)).toEqual([
      { from: 0, to: minute, kind: "standby", reason: "starting", short: "Starting", facts: {} },
      {
        from: minute,
        to: 20 * minute,
        kind: "standby",
        reason: "in-use",
        short: "You are using it",
        facts: { idleSeconds: 4 },
      },
      {
        from: 20 * minute,
        to: 40 * minute,
        kind: "donating",
        reason: "idle",
        short: "Idle, donating",
        facts: { idleSeconds: 120 },
      },
    ]);
    expect(day.totals.map(({ reason, ms, spans }) => [reason, ms / minute, spans])).toEqual([
      ["paused-by-you", 70, 1],
      ["stopped", 60, 1],
      ["in-use", 29, 2],
      ["idle", 20, 1],
      ["starting", 1, 1],
    ]);
    expect(day.totals[0]?.sentence).toBe(standbyReasons["paused-by-you"].sentence);
    expect(day.donatedMs).toBe(20 * minute);
  });

  it("shows the time before the journal as unknown", () => {
    expect(spansIn([], 0, hour)).toEqual(["0-60 unknown not-recorded"]);
    expect(spansIn([start(hour)], 0, hour + minute)).toEqual([
      "0-60 unknown not-recorded",
      "60-61 standby starting",
    ]);
  });

  it("includes an activity that began before the requested time", () => {
    const entries = [start(0), activity(minute, "donating", "unattended"), ...aliveFrom(minute, 2 * hour)];
    expect(spansIn(entries, hour, 2 * hour)).toEqual(["60-120 donating unattended"]);
  });

  it("shows a donor without a last entry as not running since its last sign", () => {
    const entries = [start(0), activity(minute, "donating", "idle"), alive(11 * minute), start(hour)];
    expect(spansIn(entries, 0, hour + minute)).toEqual([
      "0-1 standby starting",
      "1-11 donating idle",
      "11-60 not-running cut-off",
      "60-61 standby starting",
    ]);
    expect(spansIn(entries.slice(0, 3), 0, 15 * minute, false).at(-1)).toBe("11-15 not-running cut-off");
    expect(spansIn(entries.slice(0, 3), 0, 15 * minute, true).at(-1)).toBe("1-15 donating idle");
  });

  it("shows a sleeping computer, with and without an event of the system", () => {
    const entries: readonly JournalEntry[] = [
      start(0),
      activity(minute, "donating", "idle"),
      { kind: "lifecycle", at: 2 * minute, event: "suspend" },
      { kind: "lifecycle", at: 5 * hour, event: "resume" },
      activity(5 * hour + minute, "standby", "in-use"),
      // The computer slept without an event.
      alive(15 * hour),
    ];
    expect(spansIn(entries, 0, 15 * hour + minute)).toEqual([
      "0-1 standby starting",
      "1-2 donating idle",
      "2-300 asleep suspended",
      "300-301 donating idle",
      "301-900 asleep silent",
      "900-901 standby in-use",
    ]);
  });

  it("trusts the later entries if the clock was set back", () => {
    const entries = [start(0), activity(9 * hour, "donating", "idle"), activity(minute, "standby", "in-use")];
    expect(spansIn(entries, 0, 2 * minute)).toEqual(["0-1 standby starting", "1-2 standby in-use"]);
  });

  it("shows an unknown reason as it is", () => {
    const { spans } = explain([activity(0, "standby", "constructor")], 0, minute);
    expect(spans[0]?.short).toBe("constructor");
  });

  it("counts the jobs of the requested time", () => {
    const none = { begun: 0, succeeded: 0, failed: 0, letGo: 0, promptTokens: 0, completionTokens: 0 };
    const jobs = { kind: "jobs", ...none } as const;
    const entries: readonly JournalEntry[] = [
      { ...jobs, at: 0, begun: 1 },
      { ...jobs, at: 1, letGo: 1 },
      { ...jobs, at: hour, begun: 1 },
      { ...jobs, at: hour + 1, begun: 2, succeeded: 2, promptTokens: 5, completionTokens: 7 },
      { ...jobs, at: hour + 3, failed: 1, codes: { runner_crashed: 1 } },
      { ...jobs, at: hour + 4, begun: 1, failed: 1, codes: { runner_crashed: 1 } },
    ];
    expect(explain(entries, hour, 2 * hour).jobs).toEqual({
      begun: 4,
      succeeded: 2,
      failed: 2,
      letGo: 0,
      promptTokens: 5,
      completionTokens: 7,
      codes: { runner_crashed: 2 },
    });
  });
});
