import type { QueryCtx } from "../../builders.ts";
import { ringSize } from "../placement.ts";

/** Gaps looked at: enough that the largest of them is, nearly always, one of the larger ones of all. */
const gapsSampled = 8;

/** From a position to the next one's, around the ring; the same one: the whole ring. */
export type Gap = { readonly from: number; readonly to: number };

/** The middle of the largest gap, and 0 in an empty ring. */
export function middleOfLargest(gaps: readonly Gap[]): number {
  const [largest] = [...gaps].sort((a, b) => width(b) - width(a));
  return largest === undefined ? 0 : (largest.from + width(largest) / 2) % ringSize;
}

function width({ from, to }: Gap): number {
  return to > from ? to - from : to - from + ringSize;
}

/** Where a new worker stands in its scope's rings. Sixteen reads, at once but for those at the ring's ends. */
export async function choosePosition(ctx: QueryCtx, scope: string): Promise<number> {
  const points = Array.from({ length: gapsSampled }, () => Math.random() * ringSize);
  const gaps = await Promise.all(points.map((point) => gapAround(ctx, scope, point)));
  return middleOfLargest(gaps.filter((gap) => gap !== null));
}

async function gapAround(ctx: QueryCtx, scope: string, point: number): Promise<Gap | null> {
  const [before, after] = await Promise.all([
    positionAt(ctx, scope, "desc", { from: 0, to: point }),
    positionAt(ctx, scope, "asc", { from: point, to: ringSize }),
  ]);
  const from = before ?? (await positionAt(ctx, scope, "desc", { from: 0, to: ringSize }));
  const to = after ?? (await positionAt(ctx, scope, "asc", { from: 0, to: ringSize }));
  return from === null || to === null ? null : { from, to };
}

async function positionAt(
  ctx: QueryCtx,
  scope: string,
  order: "asc" | "desc",
  { from, to }: Gap,
): Promise<number | null> {
  const worker = await ctx.db
    .query("workers")
    .withIndex("by_position", (q) => q.eq("scope", scope).gte("position", from).lt("position", to))
    .order(order)
    .first();
  return worker?.position ?? null;
}
