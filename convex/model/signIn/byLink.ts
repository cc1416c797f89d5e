import { type Infer, v } from "convex/values";
import { literals } from "convex-helpers/validators";
import type { MutationCtx } from "../../_generated/server.js";
import { hashSecret } from "../authenticate.ts";
import { firstOwner } from "../people/members.ts";
import { present } from "../refuse.ts";
import { recordRefusedSignIn } from "../refusedSignIns.ts";
import { beginSession, begun } from "./begin.ts";

export const signInOutcome = v.union(
  begun,
  v.object({
    kind: v.literal("refused"),
    reason: literals("unknown-link", "expired", "used"),
  }),
);

/** Trades a one-time link for a session. The browser made the session's secret. Refuses: invalid, conflict. */
export async function signInByLink(
  ctx: MutationCtx,
  asked: { readonly token: string; readonly session: string; readonly agent?: string },
  now: number,
): Promise<Infer<typeof signInOutcome>> {
  const tokenHash = await hashSecret(asked.token);
  const link = await ctx.db
    .query("signInLinks")
    .withIndex("by_hash", (q) => q.eq("tokenHash", tokenHash))
    .unique();
  // Wrong tokens are not counted: nobody guesses 256 bits, and a limit could only lock people out.
  const refused = async (reason: "unknown-link" | "expired" | "used") => {
    const why = `one-time link: ${reason}`;
    const organizationId = link?.organizationId ?? null;
    await recordRefusedSignIn(ctx, { organizationId, subject: link?.memberId, why }, now);
    return { kind: "refused", reason } as const;
  };
  if (link === null) return await refused("unknown-link");
  if (link.usedAt !== undefined) return await refused("used");
  if (link.expiresAt <= now) return await refused("expired");
  const { organizationId, memberId } = link;
  const member =
    memberId === undefined
      ? await firstOwner(ctx, organizationId, now)
      : present(await ctx.db.get("members", memberId), "member of a link");
  if (member.removedAt !== undefined) return await refused("expired");
  await ctx.db.patch("signInLinks", link._id, { usedAt: now });
  const client = asked.agent === undefined ? {} : { agent: asked.agent };
  return await beginSession(ctx, member, { session: asked.session, method: "link", client }, now);
}
