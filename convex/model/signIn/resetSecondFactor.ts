import type { Doc } from "../../_generated/dataModel.js";
import type { MutationCtx } from "../../_generated/server.js";
import { type Act, record } from "../audit.ts";
import { passkeysOf } from "../passkeys/stored.ts";
import { endSessionsOf } from "../people/sessions.ts";
import { deleteSecondFactor } from "../secondFactor/stored.ts";

/** Forgets the second factor and the passkeys of a member who lost them. Their sessions end. @returns whether there were any. */
export async function forgetSecondFactor(
  ctx: MutationCtx,
  { _id: subject, organizationId }: Doc<"members">,
  by: Act,
): Promise<boolean> {
  const passkeys = await passkeysOf(ctx, subject);
  for (const { _id } of passkeys) await ctx.db.delete("passkeys", _id);
  if (!(await deleteSecondFactor(ctx, subject)) && passkeys.length === 0) return false;
  await endSessionsOf(ctx, subject);
  await record(ctx, { organizationId, ...by, action: "member.second-factor-reset", subject });
  return true;
}
