import { monthOf } from "../../../app/usage/months.ts";
import type { Doc } from "../../_generated/dataModel.js";
import type { MutationCtx, QueryCtx } from "../../_generated/server.js";
import { presentUses } from "../ledger/keyDays.ts";
import {
  anyShard,
  batchShard,
  type Layout,
  mostPortions,
  type Pool,
  roomIn,
  takeFrom,
  takePortion,
  type Way,
} from "../ledger/portions.ts";
import type { Owner } from "../owners.ts";
import { keysSince } from "../people/holdings.ts";
import type { Refusal } from "../refuse.ts";
import { spentSubmittedThisMonth, spentThisMonth } from "./months.ts";

type Budget = Doc<"budgets">;

export async function budgetOf(ctx: QueryCtx, subject: Budget["subject"]): Promise<Budget | null> {
  return await ctx.db
    .query("budgets")
    .withIndex("by_subject", (q) => q.eq("subject", subject))
    .unique();
}

/** The budgets of a key and of its owner that refuse jobs once they are used up. */
export async function stopsOf(ctx: QueryCtx, { _id, owner }: Doc<"apiKeys">): Promise<Budget[]> {
  const subjects = [_id, ...(owner === undefined ? [] : [owner])];
  const budgets = await Promise.all(subjects.map(async (subject) => await budgetOf(ctx, subject)));
  return budgets.flatMap((budget) => (budget?.stops === true ? [budget] : []));
}

/** Whether a budget is used up this month (UTC), as the check of each minute knows. */
export function isUsedUp({ warned }: Budget, now: number): boolean {
  return warned?.month === monthOf(now) && warned.state === "over";
}

function usedUp({ subject }: Budget, key: Doc<"apiKeys">, now: number): Refusal {
  return {
    code: "quota_exceeded",
    message:
      subject === key._id
        ? "The budget of this API key for this month is used up. An administrator can raise it."
        : "The budget of the owner of this API key for this month is used up. An administrator can raise it.",
    retryAfterMs: monthOf(now, 1) - now,
  };
}

/** Open jobs end within seconds to minutes, and give back what they do not cost. */
const openRetryMs = 20_000;

/**
 * Takes the reservation of a job from the budgets that stop its key. The last job of a month may exceed a budget: otherwise a budget
 * would end long before it is used up, since most jobs cost much less than they may.
 * @param way as with the key's balance, so that calls collide for both or for neither.
 * @returns why the job must be refused, or null. Throws `GaveWay` if the way has a turn.
 */
export async function holdBudgets(
  ctx: MutationCtx,
  key: Doc<"apiKeys">,
  micro: bigint,
  now: number,
  way: Way = { shard: anyShard() },
): Promise<Refusal | null> {
  for (const budget of await stopsOf(ctx, key)) {
    if (isUsedUp(budget, now)) return usedUp(budget, key, now);
    if (micro <= 0n) continue;
    const pool = poolOf(ctx, budget, now);
    if (await takeFrom(pool, way, micro)) continue;
    const left = await pool.left();
    if (left > 0n && (await takeFrom(pool, way, left))) continue;
    if ((await spentThisMonth(ctx, budget.subject, now)) >= budget.monthlyMicro)
      return usedUp(budget, key, now);
    return {
      code: "quota_exceeded",
      message:
        budget.subject === key._id
          ? "Requests that are under way may use up the budget of this API key for this month. Try again when they have ended. An administrator can raise the budget."
          : "Requests that are under way may use up the budget of the owner of this API key for this month. Try again when they have ended. An administrator can raise the budget.",
      retryAfterMs: openRetryMs,
    };
  }
  return null;
}

/**
 * Whether the budgets that stop a key allow another job of a batch.
 * @param stops as `stopsOf` returns them: it is asked once for many jobs.
 * @param spent the reservations of the batch's jobs in this transaction, which `spendBudgets` takes at its end.
 */
export async function budgetsAllow(
  ctx: MutationCtx,
  stops: readonly Budget[],
  { spent, micro }: { readonly spent: bigint; readonly micro: bigint },
  now: number,
): Promise<boolean> {
  for (const budget of stops) {
    if (micro <= 0n) continue;
    const pool = poolOf(ctx, budget, now);
    if ((await roomIn(pool, spent + micro)) >= spent + micro) continue;
    const left = await pool.left();
    if (left <= spent || (await roomIn(pool, left)) <= spent) return false;
  }
  return true;
}

/** Takes the reservations of a batch's jobs from the budgets that stop their key. */
export async function spendBudgets(
  ctx: MutationCtx,
  key: Doc<"apiKeys">,
  micro: bigint,
  now: number,
): Promise<void> {
  for (const budget of await stopsOf(ctx, key)) {
    const pool = poolOf(ctx, budget, now);
    const { leftMicro = 0n } = (await pool.rowOf(batchShard)) ?? {};
    await takePortion(pool, leftMicro < micro ? leftMicro : micro);
  }
}

/** A budget in portions. `left`: what is left of it now. */
type BudgetPool = Pool<Doc<"budgetHolds">> & { readonly left: () => Promise<bigint> };

/**
 * Some debits are noted nowhere: those of keys that were handed over, and of jobs that cost more than they reserved. So the jobs are read
 * again after this time, and near the end of a budget its portions are filled again then.
 */
const knownForMs = 60_000;

/**
 * A budget in portions, so that the calls of its keys do not conflict. All jobs of its keys tell what is left of it, but each call and each
 * end of a job changes that. So it is noted, with what submissions have taken since, and the jobs are read only if that is too little.
 */
function poolOf(ctx: MutationCtx, budget: Budget, now: number): BudgetPool {
  const month = monthOf(now);
  let exact: Promise<bigint> | null = null;
  let known: Doc<"budgetHolds">["known"];
  let lookedAt = now;
  // One job reads it several times at the end of a budget.
  const left = async (): Promise<bigint> => await (exact ??= leftOf(ctx, budget, now));
  const untilOf = (row: Doc<"budgetHolds"> | null, laid: Layout | undefined): number | undefined =>
    laid === undefined ? row?.until : laid.isRest ? lookedAt + knownForMs : undefined;
  const ofNow = ({ known: before, ...row }: Doc<"budgetHolds">): Doc<"budgetHolds"> => {
    if (row.month !== month) return { ...row, leftMicro: 0n };
    const leftMicro = (row.until ?? Infinity) <= now ? 0n : row.leftMicro;
    return { ...row, leftMicro, ...(before === undefined ? {} : { known: before }) };
  };
  return {
    name: budget._id,
    left,
    rowOf: async (shard) => {
      const row = await ctx.db
        .query("budgetHolds")
        .withIndex("by_budget", (q) => q.eq("budgetId", budget._id).eq("shard", shard))
        .unique();
      return row === null ? null : ofNow(row);
    },
    rows: async () => (await rowsOf(ctx, budget)).map(ofNow),
    write: async (shard, row, leftMicro, taken, laid) => {
      const newest = known ?? row?.known;
      const until = shard === batchShard ? undefined : untilOf(row, laid);
      const fresh = {
        budgetId: budget._id,
        shard,
        month,
        leftMicro,
        spentMicro: (row?.spentMicro ?? 0n) + taken,
        ...(newest === undefined ? {} : { known: newest }),
        ...(until === undefined ? {} : { until }),
      };
      if (row === null) await ctx.db.insert("budgetHolds", fresh);
      else await ctx.db.replace("budgetHolds", row._id, fresh);
    },
    sure: async (rows, least) => {
      const spent = rows.reduce((sum, { spentMicro }) => sum + spentMicro, 0n);
      const newest = newestOf(rows, now - knownForMs);
      if (exact === null && newest !== null && newest.micro - spent >= least) {
        lookedAt = newest.at;
        return newest.micro - spent;
      }
      known = { at: now, micro: (await left()) + spent };
      lookedAt = now;
      return await left();
    },
    given: async () => await Promise.resolve(0n),
  };
}

function newestOf(
  rows: readonly Doc<"budgetHolds">[],
  since: number,
): NonNullable<Doc<"budgetHolds">["known"]> | null {
  const all = rows.flatMap(({ known }) => (known !== undefined && known.at >= since ? [known] : []));
  return all.reduce<(typeof all)[number] | null>(
    (newest, each) => (newest === null || each.at > newest.at ? each : newest),
    null,
  );
}

/** Ends all portions of a budget. Call it when the budget is changed or removed. */
export async function endBudgetPortions(ctx: MutationCtx, budget: Budget): Promise<void> {
  for (const { _id } of await rowsOf(ctx, budget)) await ctx.db.delete("budgetHolds", _id);
}

async function rowsOf(ctx: QueryCtx, { _id }: Budget): Promise<Doc<"budgetHolds">[]> {
  return await ctx.db
    .query("budgetHolds")
    .withIndex("by_budget", (q) => q.eq("budgetId", _id))
    .take(mostPortions);
}

/** Keys of one owner that are read, and as many that were revoked this month. Jobs of further ones count once they have ended. */
const mostKeys = 100;

/**
 * The rest of a budget this month (UTC). It is less by the jobs that were counted, and by the cost or the hold of those that only the
 * ledger knows yet. A job counts for the month of its submission, until it is counted.
 */
async function leftOf(ctx: QueryCtx, { subject, monthlyMicro }: Budget, now: number): Promise<bigint> {
  const keyId = ctx.db.normalizeId("apiKeys", subject);
  const keyIds =
    keyId === null
      ? (await keysSince(ctx, subject as Owner, monthOf(now), mostKeys)).map(({ _id }) => _id)
      : [keyId];
  const [uses, counts, spent] = await Promise.all([
    presentUses(ctx, keyIds, now),
    Promise.all(keyIds.map(async (id) => await spentSubmittedThisMonth(ctx, id, now))),
    spentThisMonth(ctx, subject, now),
  ]);
  return uses.reduce((left, { month }, at) => {
    const counted = counts[at] ?? 0n;
    return month.micro > counted ? left - (month.micro - counted) : left;
  }, monthlyMicro - spent);
}
