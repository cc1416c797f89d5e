import type { Id } from "../_generated/dataModel.js";
import type { MutationCtx } from "../_generated/server.js";

/** Actions of the audit trail. These names are stored. */
export type AuditAction =
  | "organization.created"
  | "sign-in-link.created"
  | "admin.signed-in"
  | "api-key.created"
  | "api-key.revoked"
  | "enrolment-code.created"
  | "enrolment-code.revoked"
  | "device.enrolled"
  | "device.retired"
  | "device.reinstated"
  | "device.labelled"
  | "job.canceled"
  | "lane.opened"
  | "lane.paused"
  | "lane.draining"
  | "dead-letter.retried"
  | "dead-letter.discarded"
  | "dead-letters.retried"
  | "limit.set"
  | "policy.changed"
  | "policy.restored"
  | "model.added"
  | "model.changed"
  | "model.retired"
  | "model.reinstated";

export type Actor = "admin" | "setup" | "device";

/** Appends to the audit trail. An entry never holds a secret or a prompt. */
export async function record(
  ctx: MutationCtx,
  entry: {
    readonly organizationId: Id<"organizations">;
    readonly at: number;
    readonly actor: Actor;
    readonly action: AuditAction;
    readonly subject: string;
    readonly detail?: string;
  },
): Promise<void> {
  await ctx.db.insert("audit", { ...entry });
}
