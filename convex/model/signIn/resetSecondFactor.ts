import type { Doc } from "../../_generated/dataModel.js";
import type { MutationCtx } from "../../_generated/server.js";
import { type Act, record } from "../audit.ts";
import { endSessionsOf } from "../people/sessions.ts";
import { deleteSecondFactor } from "../secondFactor/stored.ts";

/** Forgets the second factor of a member who lost it. Their sessions end. @returns whether there was one. */
export async function forgetSecondFactor(
  ctx: MutationCtx,
  { _id: subject, organizationId }: Doc<"members">,
  by: Act,
): Promise<boolean> {
  if (!(await deleteSecondFactor(ctx, subject))) return false;
  await endSessionsOf(ctx, subject);
  await record(ctx, { organizationId, ...by, action: "member.second-factor-reset", subject });
  return true;
}
