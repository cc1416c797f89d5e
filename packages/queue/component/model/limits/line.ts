import type { Doc, QueryCtx } from "../../builders.ts";
import { levelOrder } from "../order.ts";
import type { Limited } from "./held.ts";

/** The orders of the levels repeat after so many turns. */
const turns = 16;

/**
 * Those that wait for a turn of the name, the next first: by level, within it in the order of submission; and as for
 * workers, one time in eight a lower level first, so that none starves behind a stream of high ones.
 * @param dice in [0, 1): decides which time it is.
 */
export async function nextInLine(
  ctx: QueryCtx,
  limited: Limited,
  most: number,
  dice: number,
): Promise<Doc<"jobs">[]> {
  const order = levelOrder(Math.floor(dice * turns));
  if (order[0] === 0) return await lineOf(ctx, limited).take(most);
  const found: Doc<"jobs">[] = [];
  for (const level of order) {
    if (found.length < most) found.push(...(await lineOf(ctx, limited, level).take(most - found.length)));
  }
  return found;
}

function lineOf(ctx: QueryCtx, { scope, of, name }: Limited, level?: number) {
  const jobs = ctx.db.query("jobs");
  if (of === "requester") {
    return jobs.withIndex("by_requester_turn", (q) => {
      const line = q.eq("scope", scope).eq("turnOf", "requester").eq("requester", name);
      return level === undefined ? line : line.eq("level", level);
    });
  }
  return jobs.withIndex("by_key_turn", (q) => {
    const line = q.eq("scope", scope).eq("turnOf", "key").eq("key", name);
    return level === undefined ? line : line.eq("level", level);
  });
}
