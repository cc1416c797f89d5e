import type { Infer } from "convex/values";
import { changesText } from "../../../app/audit/changes.ts";
import type { ExpiryRule } from "../../../app/credits/house-rules.ts";
import { decimalOf } from "../../../app/credits/payout.ts";
import { formatExactCredits, microPerCredit } from "../../../app/money/credits.ts";
import type { Doc, Id } from "../../_generated/dataModel.js";
import type { MutationCtx, QueryCtx } from "../../_generated/server.js";
import { type Act, record } from "../audit.ts";
import { boundedInteger, boundedText, refuse } from "../refuse.ts";
import type { houseRules } from "../validators/credits.ts";

export type HouseRules = Infer<typeof houseRules>;

/** The rules of an organization that set none. */
export const noRules: HouseRules = { expireMonths: null, bonus: null, payout: null };

const mostMonths = 120;
const mostPercent = 500;
const mostHours = 50;
const mostMicro = 1_000_000n * microPerCredit;

export async function rulesRow(
  ctx: QueryCtx,
  organizationId: Id<"organizations">,
): Promise<Doc<"houseRules"> | null> {
  return await ctx.db
    .query("houseRules")
    .withIndex("by_organization", (q) => q.eq("organizationId", organizationId))
    .unique();
}

export async function rulesOf(ctx: QueryCtx, organizationId: Id<"organizations">): Promise<HouseRules> {
  const { expireMonths, bonus, payout } = (await rulesRow(ctx, organizationId)) ?? noRules;
  return { expireMonths, bonus, payout };
}

/** When earned credits expire. Null: never. */
export async function expiryRule(
  ctx: QueryCtx,
  organizationId: Id<"organizations">,
): Promise<ExpiryRule | null> {
  const row = await rulesRow(ctx, organizationId);
  if (row === null || row.expireMonths === null) return null;
  return { months: row.expireMonths, setAt: row.expireSetAt };
}

/** Replaces all of these rules. Members get 30 days' notice of another expiry. Refuses: invalid. */
export async function setRules(
  ctx: MutationCtx,
  organizationId: Id<"organizations">,
  wanted: HouseRules,
  by: Act,
): Promise<void> {
  const rules = checked(wanted);
  const row = await rulesRow(ctx, organizationId);
  const before = row ?? noRules;
  const detail = changesOf(before, rules);
  if (detail === "") return;
  const expireSetAt = row !== null && row.expireMonths === rules.expireMonths ? row.expireSetAt : by.at;
  // The row also has what an organization chose about checks.
  if (row === null) await ctx.db.insert("houseRules", { organizationId, ...rules, expireSetAt });
  else await ctx.db.patch("houseRules", row._id, { ...rules, expireSetAt });
  await record(ctx, {
    organizationId,
    ...by,
    action: "house-rules.changed",
    subject: organizationId,
    detail,
  });
}

function checked({ expireMonths, bonus, payout }: HouseRules): HouseRules {
  if (expireMonths !== null) boundedInteger(expireMonths, "The months until credits expire", 1, mostMonths);
  if (bonus !== null) {
    boundedInteger(bonus.percent, "The percent of the bonus", 1, mostPercent);
    boundedMicro(bonus.capMicro, "The cap of a day");
    if (bonus.hours.length === 0) refuse("invalid", "Choose the hours in which answers earn more.");
    if (bonus.hours.length > mostHours) refuse("invalid", "There are too many bonus hours.");
    for (const { day, from, to } of bonus.hours) {
      boundedInteger(day, "The day of the week", 0, 6);
      boundedInteger(from, "The first bonus hour", 0, 23);
      boundedInteger(to, "The end of the bonus hours", from + 1, 24);
    }
  }
  if (payout === null) return { expireMonths, bonus, payout };
  boundedMicro(payout.perCreditMicro, "The money for a credit");
  const currency = boundedText(payout.currency.trim(), "The currency", 10);
  return { expireMonths, bonus, payout: { ...payout, currency } };
}

function boundedMicro(micro: bigint, noun: string): void {
  if (micro <= 0n || micro > mostMicro)
    refuse("invalid", `${noun} must be more than 0, and at most a million.`);
}

const dayWords = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"];

function changesOf(before: HouseRules, after: HouseRules): string {
  const expiry = ({ expireMonths }: HouseRules) => (expireMonths === null ? "never" : String(expireMonths));
  const bonus = ({ bonus: rule }: HouseRules) =>
    rule === null
      ? null
      : `${String(rule.percent)} %, at most ${formatExactCredits(rule.capMicro)} a day, ${rule.hours
          .map(({ day, from, to }) => `${dayWords[day] ?? ""} ${String(from)}–${String(to)}`)
          .join(", ")}`;
  const payout = ({ payout: terms }: HouseRules) =>
    terms === null ? null : `${decimalOf(terms.perCreditMicro, 6)} ${terms.currency}`;
  return changesText([
    ["months until credits expire", expiry(before), expiry(after)],
    ["bonus hours (UTC)", bonus(before), bonus(after)],
    ["paid for a credit", payout(before), payout(after)],
  ]);
}
