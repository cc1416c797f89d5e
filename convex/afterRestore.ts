import { v } from "convex/values";
import { internalMutation, internalQuery } from "./_generated/server.js";
import { checkSigningSecrets } from "./model/models/organizationKey.ts";
import { carriedTables, endRestore, keepRestrictions } from "./model/restores.ts";
import { revokeNext } from "./model/revocations.ts";

// No module keeps state between runs, so a run may use the modules of an earlier one.
export const experimental_reuseContext = true;

/*
 * The embedded backend calls these after a restore, before it answers anybody. Other deployments do not.
 */

/**
 * The tables whose documents of the replaced state `apply` gets. Refuses (invalid) a malformed signing key: `apply` could not
 * sign the catalogs, and nothing has changed yet.
 */
export const tables = internalQuery({
  args: {},
  returns: v.array(v.string()),
  handler: async () => {
    checkSigningSecrets();
    return await Promise.resolve([...carriedTables]);
  },
});

/**
 * Keeps what was revoked, used or retired in the replaced state. The last call has no table: it ends all sessions.
 * `isKnown`: whether the replaced state could be read. `isRevoked`: whether `revokeAll` has run.
 */
export const apply = internalMutation({
  args: {
    table: v.union(v.string(), v.null()),
    documents: v.array(v.any()),
    isKnown: v.boolean(),
    isRevoked: v.optional(v.boolean()),
  },
  returns: v.null(),
  handler: async (ctx, { table, documents, isKnown, isRevoked = false }) => {
    if (table === null) await endRestore(ctx, { isKnown, isRevoked }, Date.now());
    else await keepRestrictions(ctx, table, documents, Date.now());
    return null;
  },
});

/**
 * Revokes the next secrets that the backup brought back, if the operator asked for that. `next`: "" first, then what the call
 * before returned, until that is null. `counts`: how many were revoked by this call.
 */
export const revokeAll = internalMutation({
  args: { next: v.string() },
  returns: v.object({ counts: v.record(v.string(), v.number()), next: v.union(v.string(), v.null()) }),
  handler: async (ctx, { next }) => await revokeNext(ctx, next, Date.now()),
});
