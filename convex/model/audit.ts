import type { AuditAction, AuditActor } from "../../app/audit.ts";
import type { Id } from "../_generated/dataModel.js";
import type { MutationCtx } from "../_generated/server.js";

/** Appends to the audit trail. An entry never holds a secret or a prompt. */
export async function record(
  ctx: MutationCtx,
  entry: {
    readonly organizationId: Id<"organizations">;
    readonly at: number;
    readonly actor: AuditActor;
    readonly action: AuditAction;
    readonly subject: string;
    readonly detail?: string;
  },
): Promise<void> {
  await ctx.db.insert("audit", { ...entry });
}
