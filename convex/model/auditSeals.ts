import { v } from "convex/values";
import { type Seal, sealProblem, sealRows, type TrailRow } from "../../app/audit/chain.ts";
import type { Doc, Id } from "../_generated/dataModel.js";
import type { MutationCtx, QueryCtx } from "../_generated/server.js";
import { indexed } from "./audit.ts";
import { hashSecret as sha256 } from "./authenticate.ts";

/** Rows of one seal at most, apart from rows of one moment. */
const rowsPerSeal = 100;
/** Younger rows wait: a mutation that began earlier may be committed later. Convex ends a mutation within seconds. */
export const minAgeMs = 30_000;

/** A row as seals cover it and exports show it. */
export function trailRow(row: Doc<"audit">): TrailRow {
  const { _id, _creationTime, at, actor, memberId, keyId, sessionId, method, agent } = row;
  const { address, action, subject, detail } = row;
  const who = { actor, memberId, keyId, sessionId, method, agent, address };
  return { id: _id, createdAt: _creationTime, at, ...who, action, subject, detail };
}

/**
 * Seals an organization's next rows. Writers only insert rows that are younger than these, so they never conflict with it.
 * @returns whether more rows are left.
 */
export async function sealNext(
  ctx: MutationCtx,
  organizationId: Id<"organizations">,
  now: number,
): Promise<boolean> {
  const last = await lastSeal(ctx, organizationId);
  const found = await ctx.db
    .query("audit")
    .withIndex("by_organization", (q) =>
      q
        .eq("organizationId", organizationId)
        .gt("_creationTime", last?.to ?? 0)
        .lt("_creationTime", now - minAgeMs),
    )
    .take(rowsPerSeal + 1);
  const rows = wholeMoments(found, rowsPerSeal);
  if (rows.length === 0) return false;
  for (const row of rows) {
    if (row.who === undefined) await ctx.db.patch("audit", row._id, indexed(row));
  }
  const seal = await sealRows(organizationId, last, rows.map(trailRow), sha256);
  await ctx.db.insert("auditSeals", { ...seal, organizationId, at: now });
  return found.length > rows.length;
}

/**
 * The rows of a piece that ends between two creation times, so that the next piece misses none.
 * @param found the next rows: one more than `most`, if there are so many.
 */
export function wholeMoments<Row extends { readonly _creationTime: number }>(
  found: readonly Row[],
  most: number,
): readonly Row[] {
  if (found.length <= most) return found;
  const end = found.at(-1)?._creationTime;
  const whole = found.filter(({ _creationTime }) => _creationTime !== end);
  return whole.length === 0 ? found : whole;
}

/** The newest seal; null before the first. */
export async function lastSeal(
  ctx: QueryCtx,
  organizationId: Id<"organizations">,
): Promise<Doc<"auditSeals"> | null> {
  return await ctx.db
    .query("auditSeals")
    .withIndex("by_number", (q) => q.eq("organizationId", organizationId))
    .order("desc")
    .first();
}

export const sealView = v.object({
  organizationId: v.string(),
  number: v.number(),
  from: v.number(),
  to: v.number(),
  count: v.number(),
  rows: v.string(),
  previous: v.string(),
  hash: v.string(),
});

export function viewSeal(seal: Doc<"auditSeals">): Seal {
  const { organizationId, number, from, to, count, rows, previous, hash } = seal;
  return { organizationId, number, from, to, count, rows, previous, hash };
}

export const checkedSeals = v.object({
  seals: v.number(),
  rows: v.number(),
  broken: v.union(v.null(), v.object({ number: v.number(), why: v.string() })),
  /** The number after which the next check goes on; null at the end. */
  next: v.union(v.number(), v.null()),
});

/** Seals of one check: with their rows they are less than 300 documents. */
const sealsPerCheck = 40;
const rowsPerCheck = 200;

/** Checks the seals after a number: a piece of the chain. A trail that goes on after its last seal is no mistake. */
export async function checkSeals(ctx: QueryCtx, organizationId: Id<"organizations">, after: number) {
  const found = await sealsFrom(ctx, organizationId, after);
  const first = found[0]?.number === after ? found[0] : null;
  const due = first === null ? found : found.slice(1);
  let last: SealHead | null = first ?? (await archivedSeal(ctx, organizationId));
  let rows = 0;
  let checked = 0;
  for (const seal of due) {
    if (checked === sealsPerCheck || (checked > 0 && rows + seal.count > rowsPerCheck)) {
      return { seals: checked, rows, broken: null, next: last?.number ?? after };
    }
    const covered = await rowsOf(ctx, organizationId, last?.to ?? 0, seal);
    const why = await sealProblem(viewSeal(seal), last, covered.map(trailRow), sha256);
    if (why !== null) return { seals: checked, rows, broken: { number: seal.number, why }, next: null };
    rows += covered.length;
    checked += 1;
    last = seal;
  }
  return { seals: checked, rows, broken: null, next: null };
}

type SealHead = Pick<Doc<"auditSeals">, "number" | "to" | "hash">;

/** The newest seal that moved into an archive with its rows: the trail in the database follows it. Null: all of the trail is there. */
async function archivedSeal(ctx: QueryCtx, organizationId: Id<"organizations">): Promise<SealHead | null> {
  const archive = await ctx.db
    .query("archives")
    .withIndex("by_number", (q) => q.eq("organizationId", organizationId).eq("kind", "audit"))
    .order("desc")
    .first();
  return archive?.seal ?? null;
}

/** The seal with this number, if it is there, and the ones after it. */
async function sealsFrom(
  ctx: QueryCtx,
  organizationId: Id<"organizations">,
  number: number,
): Promise<Doc<"auditSeals">[]> {
  return await ctx.db
    .query("auditSeals")
    .withIndex("by_number", (q) => q.eq("organizationId", organizationId).gte("number", number))
    .take(sealsPerCheck + 2);
}

async function rowsOf(
  ctx: QueryCtx,
  organizationId: Id<"organizations">,
  after: number,
  { to, count }: Doc<"auditSeals">,
): Promise<Doc<"audit">[]> {
  return await ctx.db
    .query("audit")
    .withIndex("by_organization", (q) =>
      q.eq("organizationId", organizationId).gt("_creationTime", after).lte("_creationTime", to),
    )
    .take(Math.min(count, rowsPerCheck) + 1);
}

const sealsPerPage = 200;

/** The seals that end after a moment and not after another, oldest first. */
export async function sealPage(
  ctx: QueryCtx,
  organizationId: Id<"organizations">,
  after: number,
  to: number,
): Promise<Seal[]> {
  const seals = await ctx.db
    .query("auditSeals")
    .withIndex("by_end", (q) => q.eq("organizationId", organizationId).gt("to", after).lte("to", to))
    .take(sealsPerPage);
  return seals.map(viewSeal);
}
