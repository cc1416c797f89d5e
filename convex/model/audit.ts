import { type Infer, v } from "convex/values";
import { actorWords, type AuditAction } from "../../app/audit.ts";
import { visibleText } from "../../app/format/visible.ts";
import type { Id } from "../_generated/dataModel.js";
import type { MutationCtx, QueryCtx } from "../_generated/server.js";

/** A member, through one of their sessions. */
const member = v.object({ memberId: v.id("members"), sessionId: v.id("sessions") });

/** Who acts: a member, the operator with the deployment's admin key, a device, or Gleaner itself. */
export const storedActor = v.union(v.literal("setup"), v.literal("device"), v.literal("system"), member);

export type Actor = Infer<typeof storedActor>;

/** Who acts, and when (ms epoch). Each recorded change has one. */
export type Act = { readonly actor: Actor; readonly at: number };

/** The actor as the queue stores it: a member's id, or a word. `actorWordsOf` turns it into a name. */
export function actorName(actor: Actor): string {
  return typeof actor === "string" ? actor : actor.memberId;
}

/** Appends to the audit trail. An entry never holds a secret or a prompt. */
export async function record(
  ctx: MutationCtx,
  {
    actor,
    ...entry
  }: Act & {
    readonly organizationId: Id<"organizations">;
    readonly action: AuditAction;
    readonly subject: string;
    readonly detail?: string;
  },
): Promise<void> {
  const by = typeof actor === "string" ? { actor } : { actor: "member", ...actor };
  await ctx.db.insert("audit", { ...entry, ...by });
}

/** An actor's name in the console, from what the audit trail, the queue and policies store. */
export async function actorWordsOf(
  ctx: QueryCtx,
  organizationId: Id<"organizations">,
  stored: string,
): Promise<string> {
  const id = ctx.db.normalizeId("members", stored);
  const found = id === null ? null : await ctx.db.get("members", id);
  return found?.organizationId === organizationId ? visibleText(found.name) : actorWords(stored);
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
  member: async ({ db }, subject) => {
    const id = db.normalizeId("members", subject);
    return id === null ? null : await db.get("members", id);
  },
  "sign-in-provider": async ({ db }, subject) => {
    const id = db.normalizeId("ssoProviders", subject);
    return id === null ? null : await db.get("ssoProviders", id);
  },
  organization: organizationOf,
  version: organizationOf,
  "queue-settings": organizationOf,
  "payload-access": organizationOf,
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
