import { v } from "convex/values";
import { internalMutation, internalQuery } from "./_generated/server.js";
import { carriedTables, endRestore, keepRestrictions } from "./model/restores.ts";

/*
 * The embedded backend calls these after a restore, before it answers anybody. Other deployments do not.
 */

/** The tables whose documents of the replaced state `apply` gets. */
export const tables = internalQuery({
  args: {},
  returns: v.array(v.string()),
  handler: async () => await Promise.resolve([...carriedTables]),
});

/**
 * Keeps what was revoked, used or retired in the replaced state. The last call has no table: it ends all sessions.
 * `isKnown`: whether the replaced state could be read.
 */
export const apply = internalMutation({
  args: { table: v.union(v.string(), v.null()), documents: v.array(v.any()), isKnown: v.boolean() },
  returns: v.null(),
  handler: async (ctx, { table, documents, isKnown }) => {
    if (table === null) await endRestore(ctx, isKnown, Date.now());
    else await keepRestrictions(ctx, table, documents, Date.now());
    return null;
  },
});
