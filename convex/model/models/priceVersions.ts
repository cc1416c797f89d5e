import { type Infer, v } from "convex/values";
import { dataClassLimits } from "../../../app/keys/data-classes.ts";
import { formatPrice } from "../../../app/money/credits.ts";
import { factorsMistake, fromNow, type Versioned } from "../../../app/money/price-list.ts";
import type { Doc, Id } from "../../_generated/dataModel.js";
import type { MutationCtx, QueryCtx } from "../../_generated/server.js";
import { type Act, actorName, actorWordsOf, record } from "../audit.ts";
import { boundedText, present, refuse } from "../refuse.ts";
import { price, priceFactors } from "../validators/prices.ts";
import { findModel } from "./catalog.ts";

type Price = Infer<typeof price>;
type Factors = Infer<typeof priceFactors>;

const maxReasonChars = 200;
/** Bounds the row that every submission reads. */
const mostComing = 10;
const longestAheadMs = 2 * 366 * 86_400_000;
const maxMicroPerToken = 1_000_000_000_000n;

/** Refuses (invalid) a negative price and an absurd one. */
export function checkedPrice(given: Price): Price {
  for (const micro of [given.promptMicro, given.completionMicro]) {
    if (micro < 0n || micro > maxMicroPerToken) refuse("invalid", "A price per token is out of bounds.");
  }
  return given;
}

/** A new version has a model's price, or the organization's percents. */
export type NewPrice =
  | { readonly kind: "model"; readonly modelId: string; readonly price: Price }
  | { readonly kind: "factors"; readonly factors: Factors };

/** The begin of a version (ms epoch), and its reason. `from` null: now. `why` null: nobody said. */
export type Start = { readonly from: number | null; readonly why: string | null };

/**
 * Makes a new version of a price, and returns its number. Versions that were scheduled for later stay. It writes no entry of the audit
 * trail. Refuses: invalid, conflict.
 */
export async function addVersion(
  ctx: MutationCtx,
  organizationId: Id<"organizations">,
  wanted: NewPrice,
  { from: start, why }: Start,
  by: Act,
): Promise<number> {
  const from = start ?? by.at;
  if (start !== null && (!Number.isFinite(start) || start <= by.at || start > by.at + longestAheadMs))
    refuse("invalid", "A price can begin now, or at a time within the next two years.");
  const reason = why === null ? null : boundedText(why, "The reason", maxReasonChars);
  const version = (await lastVersion(ctx, organizationId)) + 1;
  const common = { organizationId, version, from, at: by.at, by: actorName(by.actor) };
  const row = { ...common, ...(reason === null ? {} : { why: reason }) };
  if (wanted.kind === "model") {
    const model = present(await findModel(ctx, organizationId, wanted.modelId), "model of a price");
    const value = checkedPrice(wanted.price);
    const priceSchedule = added(model.priceSchedule, { version, from, value }, by.at);
    // The stored price is what an earlier version of Gleaner reads.
    const changed = start === null ? { price: value, priceSchedule } : { priceSchedule };
    await ctx.db.patch("models", model._id, changed);
    await ctx.db.insert("priceVersions", { ...row, modelId: wanted.modelId, price: value });
    return version;
  }
  const factors = checkedFactors(wanted.factors);
  const organization = present(await ctx.db.get("organizations", organizationId), "organization");
  const { low, normal, high } = factors;
  const factorSchedule = added(organization.factorSchedule, { version, from, value: factors }, by.at);
  await ctx.db.patch("organizations", organizationId, {
    factorSchedule,
    ...(start === null ? { priorityPrices: { low, normal, high } } : {}),
  });
  await ctx.db.insert("priceVersions", { ...row, factors });
  return version;
}

/** Refuses: invalid. */
function checkedFactors(given: Factors): Factors {
  const { classes: most, nameChars } = dataClassLimits;
  if ((given.classes ?? []).length > most)
    refuse("invalid", `At most ${String(most)} data classes can have a price.`);
  const classes = given.classes?.map(({ name, percent }) => ({
    name: boundedText(name, "The data class", nameChars),
    percent,
  }));
  const factors = { ...given, ...(classes === undefined ? {} : { classes }) };
  const mistake = factorsMistake(factors);
  return mistake === null ? factors : refuse("invalid", mistake);
}

/** A list with one more version. One that begins now replaces the valid one. */
function added<Value>(
  schedule: readonly Versioned<Value>[] = [],
  one: Versioned<Value>,
  now: number,
): Versioned<Value>[] {
  const kept = fromNow(schedule, now);
  if (one.from > now && kept.some(({ from }) => from === one.from))
    refuse("conflict", "Another price begins at that time. Cancel it, or choose another time.");
  const coming = kept.filter(({ from }) => from > now);
  if (one.from > now && coming.length === mostComing)
    refuse("conflict", `At most ${String(mostComing)} prices can be scheduled.`);
  const before = one.from > now ? kept : coming;
  return [...before, one].sort((a, b) => a.from - b.from);
}

async function lastVersion(ctx: QueryCtx, organizationId: Id<"organizations">): Promise<number> {
  const row = await ctx.db
    .query("priceVersions")
    .withIndex("by_organization", (q) => q.eq("organizationId", organizationId))
    .order("desc")
    .first();
  return row?.version ?? 0;
}

/** Makes a version and records it. Refuses: invalid, conflict, not_found (the model). */
export async function schedulePrice(
  ctx: MutationCtx,
  organizationId: Id<"organizations">,
  wanted: NewPrice,
  start: Start,
  by: Act,
): Promise<number> {
  if (wanted.kind === "model" && (await findModel(ctx, organizationId, wanted.modelId)) === null)
    refuse("not_found", "There is no such model.");
  const version = await addVersion(ctx, organizationId, wanted, start, by);
  const words =
    wanted.kind === "model"
      ? `${formatPrice(wanted.price.promptMicro)} + ${formatPrice(wanted.price.completionMicro)} per 1,000 tokens`
      : factorWords(wanted.factors);
  const begin = start.from === null ? "now" : new Date(start.from).toISOString();
  const detail = `version ${String(version)} from ${begin}: ${words}${start.why === null ? "" : ` (${start.why})`}`;
  const subject = wanted.kind === "model" ? wanted.modelId : "percents";
  await record(ctx, { organizationId, ...by, action: "prices.scheduled", subject, detail });
  return version;
}

function factorWords({ low, normal, high, text, embedding, classes = [], hours }: Factors): string {
  const percents = [
    ...[`low ${String(low)} %`, `normal ${String(normal)} %`, `high ${String(high)} %`],
    ...[`text ${String(text)} %`, `embeddings ${String(embedding)} %`],
    ...classes.map(({ name, percent }) => `data class ${name} ${String(percent)} %`),
  ].join(", ");
  if (hours === null) return percents;
  return `${percents}, ${String(hours.percent)} % from ${String(hours.from)} to ${String(hours.to)} h UTC`;
}

/** Cancels a version that has not begun. Refuses: not_found, conflict (it has begun, or was canceled). */
export async function cancelVersion(
  ctx: MutationCtx,
  organizationId: Id<"organizations">,
  version: number,
  by: Act,
): Promise<void> {
  const row = await versionRow(ctx, organizationId, version);
  if (row === null) return refuse("not_found", "There is no such price.");
  if (row.canceledAt !== undefined || row.from <= by.at)
    refuse("conflict", "Only a price that has not begun can be canceled.");
  await ctx.db.patch("priceVersions", row._id, { canceledAt: by.at, canceledBy: actorName(by.actor) });
  const others = <Value>(schedule: readonly Versioned<Value>[] = []): Versioned<Value>[] =>
    fromNow(schedule, by.at).filter((each) => each.version !== version);
  if (row.modelId === undefined) {
    const organization = present(await ctx.db.get("organizations", organizationId), "organization");
    await ctx.db.patch("organizations", organizationId, {
      factorSchedule: others(organization.factorSchedule),
    });
  } else {
    const model = present(await findModel(ctx, organizationId, row.modelId), "model of a price");
    await ctx.db.patch("models", model._id, { priceSchedule: others(model.priceSchedule) });
  }
  const detail = `version ${String(version)}`;
  const subject = row.modelId ?? "percents";
  await record(ctx, { organizationId, ...by, action: "prices.canceled", subject, detail });
}

async function versionRow(
  ctx: QueryCtx,
  organizationId: Id<"organizations">,
  version: number,
): Promise<Doc<"priceVersions"> | null> {
  return await ctx.db
    .query("priceVersions")
    .withIndex("by_organization", (q) => q.eq("organizationId", organizationId).eq("version", version))
    .unique();
}

/** The percents of a version. Null: it is version 0, or there is no such version. */
export async function factorsOfVersion(
  ctx: QueryCtx,
  organizationId: Id<"organizations">,
  version: number,
): Promise<Factors | null> {
  return (await versionRow(ctx, organizationId, version))?.factors ?? null;
}

export const priceVersionRow = v.object({
  version: v.number(),
  /** Null: the percents of all models. */
  modelId: v.union(v.string(), v.null()),
  price: v.union(price, v.null()),
  factors: v.union(priceFactors, v.null()),
  from: v.number(),
  at: v.number(),
  by: v.string(),
  why: v.union(v.string(), v.null()),
  canceledAt: v.union(v.number(), v.null()),
});

const mostListed = 200;

/** The last versions of an organization's prices, the newest first. */
export async function versionsOf(
  ctx: QueryCtx,
  organizationId: Id<"organizations">,
): Promise<Infer<typeof priceVersionRow>[]> {
  const rows = await ctx.db
    .query("priceVersions")
    .withIndex("by_organization", (q) => q.eq("organizationId", organizationId))
    .order("desc")
    .take(mostListed);
  return await Promise.all(
    rows.map(async ({ version, modelId, price: of, factors, from, at, by, why, canceledAt }) => ({
      version,
      modelId: modelId ?? null,
      price: of ?? null,
      factors: factors ?? null,
      from,
      at,
      by: await actorWordsOf(ctx, organizationId, by),
      why: why ?? null,
      canceledAt: canceledAt ?? null,
    })),
  );
}
