import { paginationOptsValidator, paginationResultValidator } from "convex/server";
import { v } from "convex/values";
import { stream } from "convex-helpers/server/stream";
import { boundedPage } from "./model/bounds.ts";
import { query } from "./model/builders.ts";
import { schema } from "./model/schema.ts";

// No module keeps state between runs, so a run may use the modules of an earlier one.
export const experimental_reuseContext = true;

const eventView = v.object({
  at: v.number(),
  actor: v.string(),
  action: v.string(),
  subject: v.string(),
});

/** Administrative changes and who made them, newest first. */
export const list = query({
  args: { scope: v.string(), paginationOpts: paginationOptsValidator },
  returns: paginationResultValidator(eventView),
  handler: async (ctx, { scope, paginationOpts }) => {
    const found = await stream(ctx.db, schema)
      .query("events")
      .withIndex("by_scope", (q) => q.eq("scope", scope))
      .order("desc")
      .paginate(boundedPage(paginationOpts));
    const views = found.page.map(({ at, actor, action, subject }) => ({ at, actor, action, subject }));
    return { ...found, page: views };
  },
});
