import { v } from "convex/values";
import { internalQuery } from "./_generated/server.js";
import { asMutable } from "./model/mutable.ts";
import { originsOf, originsOfAny } from "./model/pageOrigins.ts";
import { metricsText } from "./model/statistics/metrics.ts";
import { organizationOfToken } from "./model/statistics/token.ts";

// No module keeps state between runs, so a run may use the modules of an earlier one.
export const experimental_reuseContext = true;

/** The metrics of the organization that has this token, in Prometheus' text format; null for any other token. */
export const read = internalQuery({
  args: { token: v.string() },
  returns: v.union(v.string(), v.null()),
  handler: async (ctx, { token }) => {
    const organizationId = await organizationOfToken(ctx, token);
    return organizationId === null ? null : await metricsText(ctx, organizationId);
  },
});

/** The origins whose pages may read what a token opens; null: all. If it opens nothing: those that some organization allows. */
export const origins = internalQuery({
  args: { token: v.string() },
  returns: v.union(v.array(v.string()), v.null()),
  handler: async (ctx, { token }) => {
    const organizationId = await organizationOfToken(ctx, token);
    return asMutable(await (organizationId === null ? originsOfAny(ctx) : originsOf(ctx, organizationId)));
  },
});
