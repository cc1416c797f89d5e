import type { PaginationOptions, PaginationResult } from "convex/server";
import { limits } from "../../../app/jobs/limits.ts";
import type { Id } from "../../_generated/dataModel.js";
import type { QueryCtx } from "../../_generated/server.js";
import { pageSize } from "../refuse.ts";
import type { Member } from "./members.ts";

const maxPage = 50;
/** A longer list of matches helps nobody: a longer text finds fewer. */
const maxMatches = 50;
const maxSearchChars = Math.max(254, limits.nameChars);

/** A page of the current members, oldest first. With a text: the members that match it, on one page. */
export async function memberPage(
  ctx: QueryCtx,
  organizationId: Id<"organizations">,
  search: string,
  { cursor, endCursor, numItems }: PaginationOptions,
): Promise<PaginationResult<Member>> {
  const text = search.trim().slice(0, maxSearchChars);
  if (text !== "") {
    return { page: await matches(ctx, organizationId, text), isDone: true, continueCursor: "" };
  }
  return await ctx.db
    .query("members")
    .withIndex("by_organization", (q) => q.eq("organizationId", organizationId).eq("removedAt", undefined))
    .paginate({
      cursor,
      ...(endCursor === undefined ? {} : { endCursor }),
      numItems: pageSize(numItems, maxPage),
    });
}

/** Members with a word of their name like the text, or an address that starts with it. */
async function matches(ctx: QueryCtx, organizationId: Id<"organizations">, text: string): Promise<Member[]> {
  const start = text.toLowerCase();
  const [byName, byEmail] = await Promise.all([
    ctx.db
      .query("members")
      .withSearchIndex("by_name", (q) => q.search("name", text).eq("organizationId", organizationId))
      .take(maxMatches * 2),
    ctx.db
      .query("members")
      .withIndex("by_email", (q) =>
        // No character of an address comes after this one.
        q.eq("organizationId", organizationId).gte("email", start).lt("email", `${start}\u{10FFFF}`),
      )
      .take(maxMatches),
  ]);
  const found = new Map([...byEmail, ...byName].map((member) => [member._id, member] as const));
  return [...found.values()].filter(({ removedAt }) => removedAt === undefined).slice(0, maxMatches);
}
