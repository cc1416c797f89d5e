import { getDocumentSize } from "convex/values";
import { afterEach, beforeEach, expect, it } from "vitest";
import type { EndedJob } from "../../app/statistics/fold.ts";
import { monthOf } from "../../app/usage/months.ts";
import { addUsage } from "../model/statistics/addUsage.ts";
import { mostDevices } from "../model/usage/ownEarnings.ts";
import { addDevice, type Backend, type Organization } from "./backend.fixture.ts";
import { closeWorld, openWorld } from "./world.fixture.ts";

let t: Backend;
let acme: Organization;

beforeEach(async () => {
  ({ t, acme } = await openWorld());
});

afterEach(closeWorld);

/** Of four months, in each of which a part of 90 days may be. */
const [first, hourMs, dayMs] = [Date.UTC(2026, 4), 3_600_000, 86_400_000];
/** A query may read so many bytes. */
const mostRead = 16 * 2 ** 20;

/** A day on which a device answers a job in each hour, each with one of the models. */
function busyDay(device: string, day: number, models: readonly string[]): EndedJob[] {
  return Array.from({ length: 24 }, (_, hour): EndedJob => {
    const endedAt = day + hour * hourMs + 60_000;
    const startedAt = endedAt - 30_000;
    return {
      model: models[hour % models.length]!,
      key: "k",
      owner: null,
      lane: "l",
      outcome: "succeeded",
      submittedAt: startedAt,
      waitMs: 0,
      usage: { promptTokens: 100 + hour, completionTokens: 50 },
      micro: 5_000_000n,
      energy: { microWh: 1_000, source: "measured" },
      attempts: [{ device, group: "", status: "succeeded", isSteal: false, startedAt, endedAt }],
      earnings: [{ device, group: "", micro: 5_000_000n }],
    };
  });
}

it.each([
  ["letters of one byte", "m"],
  ["signs of three bytes", "語"],
])(
  "one query reads the earnings of all devices that it shows, also with the longest names of models in %s",
  async (_, sign) => {
    const { deviceId } = await addDevice(t, acme);
    const models = Array.from({ length: 12 }, (_each, at) => `${sign.repeat(198)}${String(10 + at)}`);
    for (let day = first; day < monthOf(first, 4); day += dayMs) {
      const jobs = busyDay(deviceId, day, models);
      await t.run(async (ctx) => await addUsage(ctx, acme.organizationId, day, jobs));
    }
    const rows = await t.run(
      async ({ db }) =>
        await db
          .query("usageMonths")
          .withIndex("by_subject", (q) => q.eq("subject", deviceId))
          .collect(),
    );
    expect(rows.map(({ days }) => days.length)).toEqual([31, 30, 31, 31]);
    expect(rows[0]?.days[0]?.models?.length).toBeGreaterThanOrEqual(2);
    const bytes = rows.reduce((sum, row) => sum + getDocumentSize(row), 0);
    expect(mostDevices * bytes).toBeLessThan(mostRead);
  },
);
