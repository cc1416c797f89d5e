import type { Doc, Id } from "../_generated/dataModel.js";
import type { MutationCtx } from "../_generated/server.js";
import { type Act, record } from "./audit.ts";
import { onlyOrganization } from "./organizations/only.ts";
import { admitRefusedSignIn } from "./rates.ts";

/** A sign-in that was refused. `subject`: the member or the invitation, if the link was a true one. */
type RefusedSignIn = {
  readonly organizationId: Id<"organizations"> | null;
  readonly subject?: Id<"members"> | Id<"invitations"> | undefined;
  /** In words, such as "used one-time link". */
  readonly why: string;
};

/**
 * Records a refused sign-in. A link that was never made names no organization: then it is recorded if the deployment has only
 * one. Beyond some a minute they leave no row, so that nobody can fill the trail. The caller must commit.
 */
export async function recordRefusedSignIn(
  ctx: MutationCtx,
  { organizationId: known, subject, why }: RefusedSignIn,
  at: number,
): Promise<void> {
  const organizationId = known ?? (await onlyOrganization(ctx))?._id ?? null;
  if (organizationId === null || !(await admitRefusedSignIn(ctx, organizationId))) return;
  await record(ctx, {
    organizationId,
    at,
    actor: "visitor",
    action: "sign-in.refused",
    subject: subject ?? "unknown",
    detail: why,
  });
}

/** Records that a signed-in member could not confirm who they are. Bounded in the same way. The caller must commit. */
export async function recordRefusedProof(
  ctx: MutationCtx,
  { _id: subject, organizationId }: Doc<"members">,
  detail: string,
  by: Act,
): Promise<void> {
  if (!(await admitRefusedSignIn(ctx, organizationId))) return;
  await record(ctx, { organizationId, ...by, action: "member.sign-in-refused", subject, detail });
}
