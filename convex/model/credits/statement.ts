import { type Infer, v } from "convex/values";
import { visibleText } from "../../../app/format/visible.ts";
import { monthOf } from "../../../app/usage/months.ts";
import type { QueryCtx } from "../../_generated/server.js";
import { earnedMonthsSince } from "../ledger/earnedMonths.ts";
import { type Owner, ownerRow } from "../owners.ts";
import { refuse } from "../refuse.ts";
import { earnedOfDevice } from "../validators/credits.ts";
import { moveRow, movesSince, namedMoves } from "./moves.ts";
import { usableBy } from "./wallet.ts";

/** Bounds what one query reads. */
const mostMoves = 4_000;
/** Statements go back so far. */
const mostMonths = 24;

export const statement = v.object({
  /** Of the member or the team. */
  name: v.string(),
  /** The start of the month (UTC) and of the next one; ms epoch. */
  from: v.number(),
  to: v.number(),
  openingMicro: v.int64(),
  /** The earnings of each device, most first. `name`: null for a deleted device, and for the sum of all further ones. */
  devices: v.array(v.object({ ...earnedOfDevice.fields, name: v.union(v.string(), v.null()) })),
  /** All else that changed the credits, oldest first. */
  moves: v.array(moveRow),
  /** At the end of the month, or now. */
  closingMicro: v.int64(),
});

/**
 * The statement of one month (UTC) of a member's or a team's credits. Opening balance, earnings and moves add up to the closing balance. Pay of the
 * last minute is missing. Refuses: invalid.
 */
export async function statementOf(
  ctx: QueryCtx,
  owner: Owner,
  at: number,
  now: number,
): Promise<Infer<typeof statement>> {
  if (!Number.isFinite(at) || at > now || monthOf(at) < monthOf(now, -mostMonths))
    refuse("invalid", `Statements are of this month, or of the ${String(mostMonths)} months before.`);
  const [from, to] = [monthOf(at), monthOf(at, 1)];
  const [row, usable, months, moves] = await Promise.all([
    ownerRow(ctx, owner),
    usableBy(ctx, owner),
    earnedMonthsSince(ctx, owner, from),
    movesSince(ctx, owner, from, mostMoves),
  ]);
  const sum = (rows: readonly { readonly micro: bigint }[]): bigint =>
    rows.reduce((total, { micro }) => total + micro, 0n);
  const devices = months.find(({ startAt }) => startAt === from)?.devices ?? [];
  const within = moves.filter((move) => move.at < to).reverse();
  const later = [
    ...months.filter(({ startAt }) => startAt >= to).flatMap((month) => month.devices),
    ...moves.filter((move) => move.at >= to),
  ];
  const closingMicro = usable - sum(later);
  const named = await Promise.all(
    devices.map(async (each) => {
      const device = each.deviceId === undefined ? null : await ctx.db.get("devices", each.deviceId);
      return { ...each, name: device === null ? null : visibleText(device.name) };
    }),
  );
  return {
    name: visibleText(row?.name ?? ""),
    from,
    to,
    openingMicro: closingMicro - sum(devices) - sum(within),
    devices: named.sort((a, b) => Number(b.micro - a.micro)),
    moves: await namedMoves(ctx, within),
    closingMicro,
  };
}
