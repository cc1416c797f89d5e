import { bonusOf, isBonusTime } from "../../../app/credits/house-rules.ts";
import type { Id } from "../../_generated/dataModel.js";
import type { MutationCtx } from "../../_generated/server.js";
import type { HouseRules } from "./houseRules.ts";

const dayMs = 86_400_000;

/**
 * The bonus for an answer, if it ended in the organization's bonus hours and the device has not reached the cap of the day. It
 * counts as paid. Null: none.
 * @param rule of the organization; null if it has none.
 * @param earned the usual pay.
 */
export async function takeBonus(
  ctx: MutationCtx,
  rule: HouseRules["bonus"],
  deviceId: Id<"devices">,
  earned: bigint,
  at: number,
): Promise<{ readonly bonusMicro: bigint; readonly bonusPercent: number } | null> {
  if (rule === null || !isBonusTime(at, rule.hours)) return null;
  const startAt = at - (at % dayMs);
  const day = await ctx.db
    .query("bonusDays")
    .withIndex("by_device", (q) => q.eq("deviceId", deviceId))
    .unique();
  const paid = day?.startAt === startAt ? day.micro : 0n;
  const bonusMicro = bonusOf(earned, rule, paid);
  if (bonusMicro === 0n) return null;
  const counted = { startAt, micro: paid + bonusMicro };
  if (day === null) await ctx.db.insert("bonusDays", { deviceId, ...counted });
  else await ctx.db.patch("bonusDays", day._id, counted);
  return { bonusMicro, bonusPercent: rule.percent };
}
