import type { AuditAction, AuditActor } from "../../app/audit.ts";
import { visibleText } from "../../app/format/visible.ts";
import type { Id } from "../_generated/dataModel.js";
import type { MutationCtx, QueryCtx } from "../_generated/server.js";

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

/** The name of an entry's subject. Null if the subject has no name, or does not exist anymore. */
export async function subjectName(
  ctx: QueryCtx,
  organizationId: Id<"organizations">,
  { action, subject }: { readonly action: string; readonly subject: string },
): Promise<string | null> {
  const [noun = ""] = action.split(".");
  const named = Object.hasOwn(subjects, noun) ? await subjects[noun]?.(ctx, subject) : null;
  return named?.organizationId === organizationId ? visibleText(named.name) : null;
}

type Named = { readonly organizationId: Id<"organizations">; readonly name: string };

/** The subjects with a name, by the noun of the action. */
const subjects: Readonly<Record<string, (ctx: QueryCtx, subject: string) => Promise<Named | null>>> = {
  device: async ({ db }, subject) => {
    const id = db.normalizeId("devices", subject);
    return id === null ? null : await db.get("devices", id);
  },
  "api-key": keyOf,
  limit: keyOf,
  "enrolment-code": async ({ db }, subject) => {
    const id = db.normalizeId("enrolmentCodes", subject);
    const code = id === null ? null : await db.get("enrolmentCodes", id);
    return code === null ? null : { organizationId: code.organizationId, name: code.label };
  },
  organization: organizationOf,
  version: organizationOf,
  "queue-settings": organizationOf,
  backup: organizationOf,
};

async function keyOf({ db }: QueryCtx, subject: string): Promise<Named | null> {
  const id = db.normalizeId("apiKeys", subject);
  return id === null ? null : await db.get("apiKeys", id);
}

async function organizationOf({ db }: QueryCtx, subject: string): Promise<Named | null> {
  const id = db.normalizeId("organizations", subject);
  const organization = id === null ? null : await db.get("organizations", id);
  return organization === null ? null : { organizationId: organization._id, name: organization.name };
}
