import { v } from "convex/values";
import { keyStatement, keyStatementOf } from "../../model/credits/keyStatement.ts";
import { memberQuery, ownKey } from "../../model/memberCalls.ts";

// No module keeps state between runs, so a run may use the modules of an earlier one.
export const experimental_reuseContext = true;

/**
 * The statement of a key for the month (UTC) of a moment: its jobs by price, those without a charge, and the credits that it was given.
 * `now`: the caller's time, because queries have no clock. Refuses: invalid, not_found.
 */
export const get = memberQuery("money.read")({
  args: { keyId: v.id("apiKeys"), at: v.number(), now: v.number() },
  returns: keyStatement,
  handler: async (ctx, { keyId, at, now }) => await keyStatementOf(ctx, await ownKey(ctx, keyId), at, now),
});
