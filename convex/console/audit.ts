import { paginationOptsValidator, paginationResultValidator } from "convex/server";
import { v } from "convex/values";
import { actorWordsOf, subjectName } from "../model/audit.ts";
import { memberQuery } from "../model/memberCalls.ts";

// No module keeps state between runs, so a run may use the modules of an earlier one.
export const experimental_reuseContext = true;

const maxPage = 100;

/** The audit trail, newest first. */
export const list = memberQuery("audit.read")({
  args: { paginationOpts: paginationOptsValidator },
  returns: paginationResultValidator(
    v.object({
      at: v.number(),
      /** "member", or a word for another actor. */
      actor: v.string(),
      /** The actor's name. */
      by: v.string(),
      action: v.string(),
      /** An id, the name of a model, or a word. */
      subject: v.string(),
      /** The subject's name, if it has one. */
      name: v.union(v.string(), v.null()),
      detail: v.union(v.string(), v.null()),
    }),
  ),
  handler: async (ctx, { paginationOpts }) => {
    const { organizationId } = ctx;
    const { cursor, endCursor } = paginationOpts;
    const numItems = Math.max(1, Math.min(maxPage, Math.floor(paginationOpts.numItems) || 1));
    const page = await ctx.db
      .query("audit")
      .withIndex("by_organization", (q) => q.eq("organizationId", organizationId))
      .order("desc")
      .paginate({ cursor, ...(endCursor === undefined ? {} : { endCursor }), numItems });
    const rows = page.page.map(async (entry) => {
      const { at, actor, memberId, action, subject, detail } = entry;
      const by = await actorWordsOf(ctx, organizationId, memberId ?? actor);
      const name = await subjectName(ctx, organizationId, entry);
      return { at, actor, by, action, subject, name, detail: detail ?? null };
    });
    return { ...page, page: await Promise.all(rows) };
  },
});
