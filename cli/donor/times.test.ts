import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { parseDuration, parseMomentAfter, parseMomentBefore } from "./times.ts";

const hour = 3_600_000;

describe("a duration", () => {
  it.each([
    ["2h", 2 * hour],
    ["90m", 1.5 * hour],
    ["90min", 1.5 * hour],
    ["1h30m", 1.5 * hour],
    ["1 d 12 h", 36 * hour],
    [" 45s ", 45_000],
    ["1w", 168 * hour],
  ])("parses the duration %j", (text, ms) => {
    expect(parseDuration(text)).toBe(ms);
  });

  it.each(["", "2", "h", "2x", "-2h", "0h", "1.5h", "2h x", "x 2h", "2h,3m", "9999999h"])(
    "parses no duration from %j",
    (text) => {
      expect(parseDuration(text)).toBeNull();
    },
  );
});

describe.each(["Europe/Berlin", "Australia/Lord_Howe", "America/New_York", "UTC"])(
  "a moment in %s",
  (zone) => {
    let before: string | undefined;
    beforeEach(() => {
      before = process.env["TZ"];
      process.env["TZ"] = zone;
    });
    afterEach(() => {
      if (before === undefined) delete process.env["TZ"];
      else process.env["TZ"] = before;
    });

    it("finds the next and the last moment of a clock time, at any minute of a year", () => {
      const year = fc.integer({ min: Date.UTC(2026, 0, 1), max: Date.UTC(2027, 0, 1) });
      fc.assert(
        fc.property(year, fc.integer({ min: 0, max: 23 }), fc.integer({ min: 0, max: 59 }), (now, h, m) => {
          const text = `${h}:${String(m).padStart(2, "0")}`;
          const next = parseMomentAfter(text, now) ?? NaN;
          const last = parseMomentBefore(text, now) ?? NaN;
          expect(next).toBeGreaterThan(now);
          expect(last).toBeLessThan(now);
          // A day has at most 25 hours. A time in a skipped hour is shifted.
          expect(next - now).toBeLessThanOrEqual(26 * hour);
          expect(now - last).toBeLessThanOrEqual(26 * hour);
          const shown = new Date(next);
          const shift = (shown.getHours() * 60 + shown.getMinutes() - (h * 60 + m) + 1_440) % 1_440;
          expect([0, 30, 60]).toContain(shift);
        }),
        { numRuns: 2_000 },
      );
    });
  },
);

describe("a moment where the clock changes (Berlin)", () => {
  let before: string | undefined;
  beforeEach(() => {
    before = process.env["TZ"];
    process.env["TZ"] = "Europe/Berlin";
  });
  afterEach(() => {
    if (before === undefined) delete process.env["TZ"];
    else process.env["TZ"] = before;
  });
  const at = (iso: string): number => Date.parse(iso);

  it.each([
    // The night of 25 October 2026: 2:00 to 3:00 occurs twice.
    ["2:30", "2026-10-25T00:00:00Z", "2026-10-25T00:30:00Z"],
    ["2:30", "2026-10-25T00:40:00Z", "2026-10-25T01:30:00Z"],
    ["2:30", "2026-10-25T01:40:00Z", "2026-10-26T01:30:00Z"],
    // The night of 29 March 2026: 2:00 to 3:00 is skipped.
    ["2:30", "2026-03-29T00:00:00Z", "2026-03-29T01:30:00Z"],
    ["17:30", "2026-03-28T17:00:00Z", "2026-03-29T15:30:00Z"],
    ["tomorrow 8:00", "2026-10-24T10:00:00Z", "2026-10-25T07:00:00Z"],
    ["2026-11-23 08:00", "2026-11-21T00:00:00Z", "2026-11-23T07:00:00Z"],
    ["2026-11-23", "2026-11-21T00:00:00Z", "2026-11-22T23:00:00Z"],
    ["2026-11-23T08:00Z", "2026-11-21T00:00:00Z", "2026-11-23T08:00:00Z"],
    ["2026-11-23t08:00:00+02:00", "2026-11-21T00:00:00Z", "2026-11-23T06:00:00Z"],
  ])("parses %s, entered at %s, to the next such moment", (text, now, moment) => {
    expect(parseMomentAfter(text, at(now))).toBe(at(moment));
  });

  it("parses moments in the past", () => {
    const now = at("2026-10-25T01:40:00Z");
    expect(parseMomentBefore("2:30", now)).toBe(at("2026-10-25T01:30:00Z"));
    expect(parseMomentBefore("yesterday 2:30", now)).toBe(at("2026-10-24T00:30:00Z"));
    expect(parseMomentBefore("2026-10-20", now)).toBe(at("2026-10-19T22:00:00Z"));
    expect(parseMomentAfter("2026-10-20 08:00", now)).toBeNull();
    expect(parseMomentBefore("2026-11-20 08:00", now)).toBeNull();
  });

  it.each(["", "24:00", "12:60", "5", "noon", "2026-13-01", "2026-02-30", "2026-02-01 25:00", "tomorrow"])(
    "parses no moment from %j",
    (text) => {
      const now = at("2026-01-10T10:00:00Z");
      expect(parseMomentAfter(text, now)).toBeNull();
      expect(parseMomentBefore(text, now)).toBeNull();
    },
  );
});
