import { v } from "convex/values";
import { endAllowance, setAllowance } from "../../model/keys/allowances.ts";
import { changeableKey, memberMutation } from "../../model/memberCalls.ts";
import { allowanceTerms } from "../../model/validators.ts";

// No module keeps state between runs, so a run may use the modules of an earlier one.
export const experimental_reuseContext = true;

/**
 * Sets the credits that a key gets at the start of each period (UTC), from the next one on. `reason` is in the key's statement and in
 * the audit trail. Refuses: not_found, invalid, revoked.
 */
export const set = memberMutation("money.change")({
  args: { keyId: v.id("apiKeys"), ...allowanceTerms.fields, reason: v.string() },
  returns: v.null(),
  handler: async (ctx, { keyId, ...terms }) => {
    await setAllowance(ctx, await changeableKey(ctx, keyId), terms, ctx.member._id, ctx.by);
    return null;
  },
});

/** Ends the allowance of a key, which keeps its credits. Does nothing without one. Refuses: not_found. */
export const end = memberMutation("money.change")({
  args: { keyId: v.id("apiKeys") },
  returns: v.null(),
  handler: async (ctx, { keyId }) => {
    await endAllowance(ctx, await changeableKey(ctx, keyId), ctx.by);
    return null;
  },
});
