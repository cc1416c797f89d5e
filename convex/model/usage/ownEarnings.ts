import { visibleText } from "../../../app/format/visible.ts";
import { groupLabel } from "../../../app/statistics/fold.ts";
import { type ModelTokens, withOthers } from "../../../app/statistics/model-tokens.ts";
import { noSubject } from "../../../app/statistics/tally.ts";
import { figuresOfDays } from "../../../app/usage/figures.ts";
import { type DaySum, mergeDays, sumOfDays } from "../../../app/usage/months.ts";
import type { UsageRow } from "../../../app/usage/usage-table.ts";
import type { Doc, Id } from "../../_generated/dataModel.js";
import type { QueryCtx } from "../../_generated/server.js";
import type { Owners } from "../memberCalls.ts";
import { findProgress } from "../statistics/seal.ts";
import { daysSince } from "./months.ts";
import { dateOf, firstDay, type UsageReport, type Wanted } from "./report.ts";

/** Each has four rows of months, and a query may read 16 MiB. testing/ownEarnings.test.ts measures the largest rows. */
export const mostDevices = 60;

type Counted = { readonly device: Doc<"devices">; readonly days: readonly DaySum[] };

export type OwnEarnings = UsageReport & {
  /** The tokens of this work by model. The subject "" has those from before models were counted. */
  readonly models: ModelTokens[];
};

/** The earnings of the devices of some owners. Devices beyond the first 60 are left out. */
export async function ownEarningsOf(
  ctx: QueryCtx,
  organizationId: Id<"organizations">,
  owners: NonNullable<Owners>,
  wanted: Wanted & { readonly by: "day" | "device" | "group" },
): Promise<OwnEarnings> {
  const since = firstDay(wanted);
  const found = await Promise.all(
    owners.map(
      async (owner) =>
        await ctx.db
          .query("devices")
          .withIndex("by_owner", (q) => q.eq("owner", owner))
          .take(mostDevices),
    ),
  );
  const counted = await Promise.all(
    found
      .flat()
      .slice(0, mostDevices)
      .map(async (device) => ({ device, days: await daysSince(ctx, device._id, since) })),
  );
  const used = counted.filter(({ days }) => days.length > 0);
  const merged = mergeDays(used.map((each) => each.days));
  const sum = sumOfDays(merged, since);
  const days = merged.map((day) => ({
    subject: dateOf(day.startAt),
    name: null,
    ...figuresOfDays(day),
  }));
  const rows = { day: days, device: devicesOf(used), group: groupsOf(used) }[wanted.by];
  const progress = await findProgress(ctx, organizationId);
  return {
    days,
    rows,
    since: progress?.usageFrom ?? null,
    models: withOthers(sum, sum.models ?? []),
  };
}

function devicesOf(counted: readonly Counted[]): UsageRow[] {
  return ranked(counted.map(({ device, days }) => rowOf(device._id, visibleText(device.name), days)));
}

function groupsOf(counted: readonly Counted[]): UsageRow[] {
  const byGroup = new Map<string, DaySum[]>();
  for (const { device, days } of counted) {
    const group = groupLabel(device.groups ?? []);
    byGroup.set(group, [...(byGroup.get(group) ?? []), ...days]);
  }
  return ranked(
    [...byGroup].map(([group, days]) => rowOf(group, group === noSubject ? null : visibleText(group), days)),
  );
}

function rowOf(subject: string, name: string | null, days: readonly DaySum[]): UsageRow {
  return { subject, name, ...figuresOfDays(sumOfDays(days, 0)) };
}

function ranked(rows: readonly UsageRow[]): UsageRow[] {
  return [...rows].sort((a, b) => Number(b.micro - a.micro) || (a.subject < b.subject ? -1 : 1));
}
