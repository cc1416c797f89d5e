import { type Infer, v } from "convex/values";
import { passwordProblem } from "../../../app/people/passwords.ts";
import { internal } from "../../_generated/api.js";
import { action } from "../../_generated/server.js";
import { memberAction } from "../../model/memberCalls.ts";
import { refuse } from "../../model/refuse.ts";
import { begun } from "../../model/signIn/begin.ts";
import { hashPassword, isPassword } from "../../model/signIn/passwordHash.ts";

// No module keeps state between runs, so a run may use the modules of an earlier one.
export const experimental_reuseContext = true;

const passwordOutcome = v.union(
  begun,
  /** The address or the password. Nobody is told which. */
  v.object({ kind: v.literal("refused"), reason: v.literal("wrong") }),
);

/** Signs a member in. The browser made the secret `session`. Refuses: invalid, conflict, rate_limited. */
export const signIn = action({
  args: {
    organizationId: v.id("organizations"),
    email: v.string(),
    password: v.string(),
    session: v.string(),
    agent: v.optional(v.string()),
  },
  returns: passwordOutcome,
  handler: async (
    ctx,
    { organizationId, email, password, ...session },
  ): Promise<Infer<typeof passwordOutcome>> => {
    const wrong = { kind: "refused", reason: "wrong" } as const;
    const stored = await ctx.runMutation(internal.access.signIn.beginPassword, { organizationId, email });
    const isRight = await isPassword(password, stored?.hash ?? null);
    if (stored === null || !isRight) {
      const memberId = stored?.memberId ?? null;
      await ctx.runMutation(internal.access.signIn.noteWrong, { organizationId, memberId });
      return wrong;
    }
    return (await ctx.runMutation(internal.access.signIn.finishPassword, { stored, ...session })) ?? wrong;
  },
});

/** Sets the own password. All other sessions of the member end. Refuses: invalid, proof_needed. */
export const set = memberAction("account")({
  args: { password: v.string() },
  returns: v.null(),
  handler: async (ctx, { session, password }): Promise<null> => {
    const about = await ctx.runMutation(internal.access.signIn.aboutSetter, { session });
    const problem = passwordProblem(password, about);
    if (problem !== null) refuse("invalid", problem);
    const hash = await hashPassword(password);
    return await ctx.runMutation(internal.access.signIn.storePassword, { session, hash });
  },
});

/** Proves again who the member is. @returns whether the password was right. Refuses: rate_limited. */
export const prove = memberAction("account", { beforeSecondFactor: true })({
  args: { password: v.string() },
  returns: v.boolean(),
  handler: async (ctx, { session, password }): Promise<boolean> => {
    const stored = await ctx.runMutation(internal.access.signIn.ownPassword, { session });
    const isRight = await isPassword(password, stored?.hash ?? null);
    if (isRight) await ctx.runMutation(internal.access.signIn.passwordProved, { session });
    else if (stored !== null) await ctx.runMutation(internal.access.signIn.noteWrongProof, { session });
    return isRight;
  },
});
