import { describe, expect, it } from "vitest";
import { randomFrom } from "../structures/random.ts";
import { drawDay, drawOffice } from "./office.ts";
import { parseRecorded, recordedCases } from "./recorded.ts";
import { promiseMoments, replayPromises } from "./replay.ts";

const options = { laptops: 40, weeks: 3, promises: 200, seed: 2, lengthSpread: 0.4 };

describe("promises of when a batch ends", () => {
  it.each(promiseMoments)("are kept 184 to 196 times of 200 when made %s", (moment) => {
    const { kept } = replayPromises(moment, options);
    expect(kept).toBeGreaterThanOrEqual(184);
    expect(kept).toBeLessThanOrEqual(196);
  });

  it("become sharper as a batch shows its pace", () => {
    const slackOf = (moment: (typeof promiseMoments)[number]) => replayPromises(moment, options).slack;
    expect(slackOf("half-way")).toBeLessThan(slackOf("at the start"));
  });

  it("repeat themselves with the same seed", () => {
    expect(replayPromises("half-way", options)).toEqual(replayPromises("half-way", options));
  });
});

describe("promises on the days that an organization recorded", () => {
  const [dayMs, hourMs] = [24 * 3_600_000, 3_600_000];
  const firstDay = Date.UTC(2026, 0, 5);

  /** Rows of capacityDays, of an office that is drawn. */
  function rowsOf(days: number): string {
    const random = randomFrom(3);
    const office = drawOffice(random, 40);
    const rows = Array.from({ length: days }, (_, day) => {
      const startAt = firstDay + day * dayMs;
      const minutes = drawDay(random, office, new Date(startAt).getUTCDay());
      const hours = Array.from({ length: 24 }, (_, hour) => {
        const own = minutes.slice(60 * hour, 60 * hour + 60);
        const devices = own.reduce((sum, minute) => sum + minute.devices, 0);
        const busy = { busyDevices: devices, busyJobs: devices * 1.5 };
        return { startAt: startAt + hour * hourMs, samples: 60, devices, ...busy };
      });
      return { _id: `d${String(day)}`, organizationId: "acme", startAt, hours };
    });
    return JSON.stringify(rows);
  }

  it("are kept about as often as on days that are drawn, however many jobs a device runs", () => {
    const days = parseRecorded(rowsOf(42)).get("acme") ?? [];
    const cases = recordedCases(days, { seed: 1, seeds: 1 });
    expect(cases.map(({ moment, weeks }) => [moment, weeks])).toEqual([
      ["at the start", 6],
      ["behind others", 6],
      ["half-way", 6],
    ]);
    // All are made in one week, so they are kept or broken together.
    for (const { kept } of cases) expect(kept).toBeGreaterThanOrEqual(160);
  });

  it("need some weeks, and rows of capacityDays", () => {
    expect(recordedCases(parseRecorded(rowsOf(20)).get("acme") ?? [], { seed: 1, seeds: 1 })).toEqual([]);
    expect(() => parseRecorded("x")).toThrow("no rows of capacityDays");
    expect(() => parseRecorded("[{}]")).toThrow("no rows of capacityDays");
  });
});
