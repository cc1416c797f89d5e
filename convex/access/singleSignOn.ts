import { v } from "convex/values";
import { internal } from "../_generated/api.js";
import { internalAction } from "../_generated/server.js";
import { redirectUri } from "../model/signIn/addresses.ts";
import { answerOf, askAgain } from "../model/signIn/openid.ts";
import { randomSecret } from "../model/signIn/randomSecret.ts";
import { unseal } from "../model/signIn/sealed.ts";
import { openProvider, sealAnswer } from "../model/signIn/sealedProvider.ts";

// No module keeps state between runs, so a run may use the modules of an earlier one.
export const experimental_reuseContext = true;

/*
 * Actions that talk to OpenID providers. They are apart from other functions, which need not load the libraries.
 */

/** Answers a provider's redirect. @returns the address in the console to go to, with a one-time code; null: nobody asked. */
export const callback = internalAction({
  args: { url: v.string() },
  returns: v.union(v.string(), v.null()),
  handler: async (ctx, { url }): Promise<string | null> => {
    const answered = new URL(url);
    const state = answered.searchParams.get("state") ?? "";
    const taken = await ctx.runMutation(internal.access.signIn.take, { state });
    if (taken === null) return null;
    const { attemptId, provider, nonce, verifier } = taken;
    const back = new URL(taken.returnTo);
    const code = randomSecret();
    try {
      const proofs = { state, nonce, verifier };
      const answer = sealAnswer(await answerOf(openProvider(provider), answered, redirectUri(), proofs));
      const refused = await ctx.runMutation(internal.access.signIn.admit, { attemptId, code, answer });
      back.hash = refused === null ? `sso=${code}` : `sso-refused=${refused}`;
    } catch (error) {
      console.error(`Single sign-on failed: ${wordsOf(error)}`);
      back.hash = "sso-refused=provider";
    }
    return back.href;
  },
});

/** Asks a provider again about the member of a session, which ends if the provider does not vouch for them. */
export const check = internalAction({
  args: { watchId: v.id("ssoSessions") },
  returns: v.null(),
  handler: async (ctx, { watchId }): Promise<null> => {
    const due = await ctx.runMutation(internal.access.signIn.beginCheck, { watchId });
    if (due === null) return null;
    try {
      const token = unseal(due.refreshToken, "refresh token");
      const answer = await askAgain(openProvider(due.provider), token, due.subject);
      const sealed = answer === null ? null : sealAnswer(answer);
      await ctx.runMutation(internal.access.signIn.finishCheck, { watchId, answer: sealed });
    } catch (error) {
      // The next check is scheduled already.
      console.error(`A provider could not be asked: ${wordsOf(error)}`);
    }
    return null;
  },
});

/** The library's errors quote no secrets in their messages. */
function wordsOf(error: unknown): string {
  return error instanceof Error ? `${error.name}: ${error.message}` : "unknown error";
}
