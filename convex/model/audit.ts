import { type Infer, v } from "convex/values";
import { keptDays } from "../../app/archives/kinds.ts";
import { actorWords, type AuditAction, auditGroupOf } from "../../app/audit.ts";
import { actWords } from "../../app/audit/act-words.ts";
import { laneTitle } from "../../app/format/lane.ts";
import { visibleText } from "../../app/format/visible.ts";
import type { Doc, Id } from "../_generated/dataModel.js";
import type { MutationCtx, QueryCtx } from "../_generated/server.js";
import { orderOf } from "./orders/orders.ts";

/** A member, through one of their sessions. */
const member = v.object({ memberId: v.id("members"), sessionId: v.id("sessions") });

/** A requester, through an API key. */
const apiKey = v.object({ keyId: v.id("apiKeys") });

/**
 * An actor: a member, a requester, the operator with the deployment's admin key, a device, somebody who is not
 * signed in, or Gleaner itself.
 */
export const storedActor = v.union(
  v.literal("setup"),
  v.literal("device"),
  v.literal("system"),
  v.literal("visitor"),
  member,
  apiKey,
);

export type Actor = Infer<typeof storedActor>;

/**
 * The actor and the time (ms epoch). Each recorded change has one. `address`: of the call that asked for it, if the scheduler
 * finishes it.
 */
export type Act = { readonly actor: Actor; readonly at: number; readonly address?: string | undefined };

/** The actor as the queue stores it: the id of a member or an API key, or a word. `actorWordsOf` turns it into a name. */
export function actorName(actor: Actor): string {
  if (typeof actor === "string") return actor;
  return "keyId" in actor ? actor.keyId : actor.memberId;
}

/**
 * Appends to the audit trail. An entry never holds a secret or a prompt. It notes the session and the address by itself, so
 * record before the session ends.
 */
export async function record(
  ctx: MutationCtx,
  {
    actor,
    address,
    ...entry
  }: Act & {
    readonly organizationId: Id<"organizations">;
    readonly action: AuditAction;
    readonly subject: string;
    readonly detail?: string;
  },
): Promise<void> {
  const from = actor === "system" ? {} : { address: address ?? (await callerAddress(ctx)) };
  const by = await stored(ctx, actor);
  await ctx.db.insert("audit", { ...entry, ...by, ...indexed({ ...by, ...entry }), ...from });
}

type Row = Pick<Doc<"audit">, "actor" | "memberId" | "keyId">;

/** The actor: the id of a member or an API key, or a word for another actor. */
export function whoOf({ actor, memberId, keyId }: Row): string {
  return memberId ?? keyId ?? actor;
}

/** The fields by which indexes find a row. They follow from others, so seals do not cover them. */
export function indexed(row: Row & Pick<Doc<"audit">, "action">): {
  readonly who: string;
  readonly group: string;
} {
  return { who: whoOf(row), group: auditGroupOf(row.action) };
}

async function stored(ctx: QueryCtx, actor: Actor): Promise<Row & { method?: string; agent?: string }> {
  if (typeof actor === "string") return { actor };
  if ("keyId" in actor) return { actor: "api-key", ...actor };
  const session = await ctx.db.get("sessions", actor.sessionId);
  const { method, agent } = session ?? {};
  return {
    actor: "member",
    ...actor,
    ...(method === undefined ? {} : { method }),
    ...(agent === undefined ? {} : { agent }),
  };
}

/** Records that a requester canceled one of their jobs. */
export async function recordCancel(
  ctx: MutationCtx,
  { organizationId, apiKeyId: keyId, jobId: subject }: Doc<"orders">,
  at: number,
  why?: string,
): Promise<void> {
  const canceled = { organizationId, at, actor: { keyId }, action: "job.canceled", subject } as const;
  await record(ctx, why === undefined ? canceled : { ...canceled, detail: why });
}

/** The actor as the scheduler gets it for the rest of an act, with the address of the call that asked for it. */
export async function laterActor(
  ctx: MutationCtx,
  { actor, address }: Act,
): Promise<{ actor: Actor; address: string }> {
  return { actor, address: address ?? (await callerAddress(ctx)) };
}

/** The IP address of the call. A function that the scheduler runs has none, and Convex may not know it. */
export async function callerAddress(ctx: MutationCtx): Promise<string> {
  return (await ctx.meta.getRequestMetadata()).ip ?? "unknown";
}

/** An actor's name in the console, from what the audit trail, the queue and policies store. */
export async function actorWordsOf(
  ctx: QueryCtx,
  organizationId: Id<"organizations">,
  stored: string,
): Promise<string> {
  const [memberId, keyId] = [ctx.db.normalizeId("members", stored), ctx.db.normalizeId("apiKeys", stored)];
  const found =
    memberId !== null
      ? await ctx.db.get("members", memberId)
      : keyId !== null
        ? await ctx.db.get("apiKeys", keyId)
        : null;
  return found?.organizationId === organizationId ? visibleText(found.name) : actorWords(stored);
}

/** The name of an entry's subject; of a refused act its words. Null if the subject has no name, or does not exist anymore. */
export async function subjectName(
  ctx: QueryCtx,
  organizationId: Id<"organizations">,
  { action, subject }: { readonly action: string; readonly subject: string },
): Promise<string | null> {
  if (action === "act.refused") return actWords(subject);
  const [noun = ""] = action.split(".");
  if (noun === "lane") return laneTitle(subject);
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
  job: jobOf,
  "dead-letter": jobOf,
  dispute: jobOf,
  batch: batchOf,
  "api-key": keyOf,
  limit: keyOf,
  "enrolment-code": async ({ db }, subject) => {
    const id = db.normalizeId("enrolmentCodes", subject);
    const code = id === null ? null : await db.get("enrolmentCodes", id);
    return code === null ? null : { organizationId: code.organizationId, name: code.label };
  },
  member: memberOf,
  team: async ({ db }, subject) => {
    const id = db.normalizeId("teams", subject);
    return id === null ? null : await db.get("teams", id);
  },
  "sign-in-provider": async ({ db }, subject) => {
    const id = db.normalizeId("ssoProviders", subject);
    return id === null ? null : await db.get("ssoProviders", id);
  },
  "sign-in-link": memberOf,
  "sign-in": memberOf,
  "alert-mail": memberOf,
  budget: async (ctx, subject) =>
    (await keyOf(ctx, subject)) ?? (await subjects["member"]?.(ctx, subject)) ?? (await teamOf(ctx, subject)),
  credits: async (ctx, subject) =>
    (await keyOf(ctx, subject)) ?? (await memberOf(ctx, subject)) ?? (await teamOf(ctx, subject)),
  payout: async (ctx, subject) => {
    const id = ctx.db.normalizeId("payouts", subject);
    const payout = id === null ? null : await ctx.db.get("payouts", id);
    return payout === null ? null : await memberOf(ctx, payout.memberId);
  },
  "house-rules": organizationOf,
  retention: organizationOf,
  archive: async (ctx, subject) => (await archiveOf(ctx, subject)) ?? (await organizationOf(ctx, subject)),
  "device-view": async ({ db }, subject) => {
    const id = db.normalizeId("deviceViews", subject);
    return id === null ? null : await db.get("deviceViews", id);
  },
  "group-rule": async (ctx, subject) => {
    const id = ctx.db.normalizeId("groupRules", subject);
    const rule = id === null ? null : await ctx.db.get("groupRules", id);
    return rule === null
      ? await organizationOf(ctx, subject)
      : { organizationId: rule.organizationId, name: rule.group };
  },
  webhook: async ({ db }, subject) => {
    const id = db.normalizeId("webhooks", subject);
    const webhook = id === null ? null : await db.get("webhooks", id);
    return webhook === null
      ? null
      : { organizationId: webhook.organizationId, name: webhook.name ?? new URL(webhook.url).host };
  },
  session: organizationOf,
  playground: organizationOf,
  "usage-facts": organizationOf,
  organization: organizationOf,
  mail: organizationOf,
  version: organizationOf,
  "queue-settings": organizationOf,
  "payload-access": organizationOf,
  backup: organizationOf,
};

async function memberOf({ db }: QueryCtx, subject: string): Promise<Named | null> {
  const memberId = db.normalizeId("members", subject);
  if (memberId !== null) return await db.get("members", memberId);
  const invitationId = db.normalizeId("invitations", subject);
  return invitationId === null ? null : await db.get("invitations", invitationId);
}

async function keyOf({ db }: QueryCtx, subject: string): Promise<Named | null> {
  const id = db.normalizeId("apiKeys", subject);
  return id === null ? null : await db.get("apiKeys", id);
}

/** Names a job by its model and its requester, because it has no name. */
async function jobOf(ctx: QueryCtx, subject: string): Promise<Named | null> {
  const order = await orderOf(ctx, subject);
  if (order === null) return null;
  const key = await ctx.db.get("apiKeys", order.apiKeyId);
  return { organizationId: order.organizationId, name: [order.modelId, key?.name ?? ""].join(" · ") };
}

/** Names a batch by the file of its requests and its key. */
async function batchOf({ db }: QueryCtx, subject: string): Promise<Named | null> {
  const id = db.normalizeId("batches", subject);
  const batch = id === null ? null : await db.get("batches", id);
  if (batch === null) return null;
  const [file, key] = await Promise.all([
    db.get("files", batch.inputFileId),
    db.get("apiKeys", batch.apiKeyId),
  ]);
  const names = [file?.name, key?.name].filter((name) => name !== undefined);
  return { organizationId: batch.organizationId, name: names.join(" · ") };
}

async function teamOf({ db }: QueryCtx, subject: string): Promise<Named | null> {
  const id = db.normalizeId("teams", subject);
  return id === null ? null : await db.get("teams", id);
}

async function archiveOf({ db }: QueryCtx, subject: string): Promise<Named | null> {
  const id = db.normalizeId("archives", subject);
  const archive = id === null ? null : await db.get("archives", id);
  if (archive === null) return null;
  const { organizationId, kind, month, number } = archive;
  const when = new Date(month).toISOString().slice(0, 7);
  return { organizationId, name: `${keptDays[kind].name} ${when}, ${String(number)}` };
}

async function organizationOf({ db }: QueryCtx, subject: string): Promise<Named | null> {
  const id = db.normalizeId("organizations", subject);
  const organization = id === null ? null : await db.get("organizations", id);
  return organization === null ? null : { organizationId: organization._id, name: organization.name };
}
