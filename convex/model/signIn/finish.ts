import type { Infer } from "convex/values";
import type { SsoRefusal } from "../../../app/people/single-sign-on.ts";
import type { Doc, Id } from "../../_generated/dataModel.js";
import type { MutationCtx } from "../../_generated/server.js";
import { record } from "../audit.ts";
import { findSession, hashSecret } from "../authenticate.ts";
import type { Client } from "../people/sessions.ts";
import { signedInView } from "../people/signIn.ts";
import { present, refuse } from "../refuse.ts";
import { admitIdentity } from "./admit.ts";
import { takeAttempt } from "./attempts.ts";
import { beginSession, type begun } from "./begin.ts";
import type { Identity } from "./identity.ts";
import { noteProof } from "./proof.ts";

/** A session that the provider is not asked about again. */
const unwatchedMs = 12 * 3_600_000;

/** A provider's answer. The refresh token is sealed. */
export type SealedAnswer = { readonly identity: Identity; readonly refreshToken: string | null };

/** Finds the member of a provider's answer for an attempt. @returns why they may not sign in; null if they may. */
export async function answerAttempt(
  ctx: MutationCtx,
  attemptId: Id<"ssoAttempts">,
  code: string,
  { identity, refreshToken }: SealedAnswer,
  now: number,
): Promise<SsoRefusal | null> {
  const attempt = await ctx.db.get("ssoAttempts", attemptId);
  if (attempt === null) return "provider";
  const provider = present(await ctx.db.get("ssoProviders", attempt.providerId), "provider");
  const admitted = await admitIdentity(ctx, provider, identity, now);
  if ("refused" in admitted) {
    await noteRefusal(ctx, provider, identity, admitted.refused, now);
    await ctx.db.delete("ssoAttempts", attemptId);
    return admitted.refused;
  }
  await ctx.db.patch("ssoAttempts", attemptId, {
    memberId: admitted.member._id,
    subject: identity.subject,
    codeHash: await hashSecret(code),
    ...(refreshToken === null ? {} : { refreshToken }),
  });
  return null;
}

async function noteRefusal(
  ctx: MutationCtx,
  { _id: subject, organizationId }: Doc<"ssoProviders">,
  { email, subject: person }: Identity,
  why: SsoRefusal,
  at: number,
): Promise<void> {
  const detail = `${email ?? person}: ${why}`;
  const what = { action: "sign-in-provider.refused", subject, detail } as const;
  await record(ctx, { organizationId, at, actor: "visitor", ...what });
}

/**
 * Ends an attempt in the browser that began it: with a new session, or with a proof for the session that the browser has.
 * Refuses: unauthorized, invalid.
 */
export async function finishAttempt(
  ctx: MutationCtx,
  asked: { readonly code: string; readonly session: string; readonly client: Client },
  now: number,
): Promise<Infer<typeof begun>> {
  const { session, client } = asked;
  const attempt = await takeAttempt(ctx, asked.code, session, now);
  const member = present(await ctx.db.get("members", attempt.memberId), "member of an attempt");
  if (member.removedAt !== undefined) refuse("unauthorized", "This sign-in has ended. Try again.");
  const found = await findSession(ctx, session, now);
  if (found !== null) {
    if (found.member._id !== member._id) {
      refuse("unauthorized", "You signed in as somebody else. Nothing was changed.");
    }
    await noteProof(ctx, found.session, member, "single-sign-on", now);
    return { kind: "signed-in", ...(await signedInView(ctx, member, found.session)) };
  }
  const { refreshToken, subject } = attempt;
  const lasts =
    refreshToken === undefined || subject === undefined
      ? { lastsMs: unwatchedMs }
      : { watch: { providerId: attempt.providerId, subject, refreshToken } };
  return await beginSession(ctx, member, { session, method: "single-sign-on", client, ...lasts }, now);
}
