import { type Infer, v, type Validator } from "convex/values";
import { customAction, customMutation, customQuery } from "convex-helpers/server/customFunctions";
import type { AuditAction } from "../../app/audit.ts";
import { needsProof } from "../../app/people/fresh-rights.ts";
import { type Right, type Scope, scopeOf } from "../../app/people/rights.ts";
import { roleWords } from "../../app/people/roles.ts";
import { internal } from "../_generated/api.js";
import type { Doc, Id } from "../_generated/dataModel.js";
import {
  action,
  internalMutation,
  mutation,
  type MutationCtx,
  query,
  type QueryCtx,
} from "../_generated/server.js";
import { type Act, record } from "./audit.ts";
import { authenticateSession } from "./authenticate.ts";
import { type Holder, type HolderId, holderOf } from "./credits/holders.ts";
import { rulesRow } from "./credits/houseRules.ts";
import { ownedOrder } from "./orders/orders.ts";
import { type Owner, ownerRow } from "./owners.ts";
import { owned, present, refuse } from "./refuse.ts";
import { forbiddenIn, noteWrites, recordRefusedAct, refusedAct } from "./refusedActs.ts";
import { checkSecondFactor } from "./secondFactor/required.ts";
import { checkProof } from "./signIn/proof.ts";

/** The members and teams whose rows are meant. Null: everybody. */
export type Owners = readonly (Id<"members"> | Id<"teams">)[] | null;

/** The context that these functions add. */
export type MemberCtx = {
  readonly organizationId: Id<"organizations">;
  readonly member: Doc<"members">;
  readonly session: Doc<"sessions">;
  /** How far the function's right goes for this member. */
  readonly scope: Scope;
};

type ScopedCtx = QueryCtx & MemberCtx;

/** Whether a row belongs to the member or to one of their teams. */
export function belongsTo(
  { _id, teamIds }: Doc<"members">,
  owner: Id<"members"> | Id<"teams"> | undefined,
): boolean {
  return owner !== undefined && (owner === _id || teamIds.some((teamId) => teamId === owner));
}

/** The owners whose rows the member may see: the member and their teams. Null: those of the whole organization. */
export function visibleOwners({ scope, member }: MemberCtx): Owners {
  return scope === "all" ? null : [member._id, ...member.teamIds];
}

/** Whether a row belongs to one of the owners. */
export function isOwnedBy(
  { owner }: { readonly owner?: Id<"members"> | Id<"teams"> },
  owners: Owners,
): boolean {
  return owners === null || (owner !== undefined && owners.includes(owner));
}

/** Whether the member has another right, too, for anything. */
export function may({ member }: MemberCtx, right: Right): boolean {
  return scopeOf(right, member.roles) !== null;
}

/** A device that the member may see, found by a caller's id. Refuses: not_found. */
export async function ownDevice(ctx: ScopedCtx, deviceId: Id<"devices">): Promise<Doc<"devices">> {
  return inScope(ctx, owned(await ctx.db.get("devices", deviceId), ctx.organizationId, "device"), "device");
}

/** The same for an enrollment code. */
export async function ownCode(ctx: ScopedCtx, codeId: Id<"enrolmentCodes">): Promise<Doc<"enrolmentCodes">> {
  return owned(await ctx.db.get("enrolmentCodes", codeId), ctx.organizationId, "enrollment code");
}

/** The same for an API key. */
export async function ownKey(ctx: ScopedCtx, keyId: Id<"apiKeys">): Promise<Doc<"apiKeys">> {
  return inScope(ctx, owned(await ctx.db.get("apiKeys", keyId), ctx.organizationId, "API key"), "API key");
}

/**
 * The same for an API key that a member may change. Members may only revoke the key of canaries: nobody else is to use it, and its credits
 * come by themselves. Refuses: not_found, invalid.
 */
export async function changeableKey(ctx: ScopedCtx, keyId: Id<"apiKeys">): Promise<Doc<"apiKeys">> {
  const key = await ownKey(ctx, keyId);
  if ((await rulesRow(ctx, ctx.organizationId))?.canaryKey === keyId)
    refuse("invalid", "Only Gleaner uses the key of canaries.");
  return key;
}

/** An API key, a member or a team whose credits a member may change. Refuses: not_found, invalid. */
export async function changeableHolder(ctx: ScopedCtx, id: HolderId): Promise<Holder> {
  const found = await holderOf(ctx, id);
  if (found === null) return refuse("not_found", "There is no such API key, member or team.");
  if (found.table === "apiKeys") return { ...found, row: await changeableKey(ctx, found.row._id) };
  owned(found.row, ctx.organizationId, "member or team");
  return found;
}

/** A webhook that the member may see, found by a caller's id. Refuses: not_found. */
export async function ownWebhook(ctx: ScopedCtx, webhookId: Id<"webhooks">): Promise<Doc<"webhooks">> {
  return owned(await ctx.db.get("webhooks", webhookId), ctx.organizationId, "webhook");
}

/** The order of a job that the member may see. Refuses: not_found. */
export async function ownJob(ctx: ScopedCtx, jobId: string): Promise<Doc<"orders">> {
  const order = await ownedOrder(ctx, ctx.organizationId, jobId);
  if (ctx.scope === "own") await ownKey(ctx, order.apiKeyId);
  return order;
}

/** A batch that the member may see, by an id from an address, which may be any text. Refuses: not_found. */
export async function ownBatch(ctx: ScopedCtx, text: string): Promise<Doc<"batches">> {
  const batchId = ctx.db.normalizeId("batches", text);
  const found = batchId === null ? null : await ctx.db.get("batches", batchId);
  const batch = owned(found, ctx.organizationId, "batch");
  inScope(ctx, present(await ctx.db.get("apiKeys", batch.apiKeyId), "key of a batch"), "batch");
  return batch;
}

/** An id from an address, which may be any text. Refuses: not_found. */
export function idIn<Table extends "apiKeys" | "devices">(
  ctx: QueryCtx,
  table: Table,
  text: string,
): Id<Table> {
  return ctx.db.normalizeId(table, text) ?? refuse("not_found", "There is no such API key or device.");
}

/** A member of the organization. Refuses: not_found. */
export async function ownMember(ctx: ScopedCtx, memberId: Id<"members">): Promise<Doc<"members">> {
  return owned(await ctx.db.get("members", memberId), ctx.organizationId, "member");
}

/** The same for a team. */
export async function ownTeam(ctx: ScopedCtx, teamId: Id<"teams">): Promise<Doc<"teams">> {
  return owned(await ctx.db.get("teams", teamId), ctx.organizationId, "team");
}

/** A member or a team, also a former one, whose things the member may see. Refuses: not_found. */
export async function ownOwner(ctx: ScopedCtx, owner: Owner): Promise<Owner> {
  if (ctx.scope === "own") {
    return belongsTo(ctx.member, owner) ? owner : refuse("not_found", "There is no such member or team.");
  }
  owned(await ownerRow(ctx, owner), ctx.organizationId, "member or team");
  return owner;
}

/** The member or team that an id from an address may name. Refuses: not_found. */
export function ownerIn(ctx: QueryCtx, id: string): Owner {
  return (
    ctx.db.normalizeId("members", id) ??
    ctx.db.normalizeId("teams", id) ??
    refuse("not_found", "There is no such member or team.")
  );
}

/** Somebody else's row gets the same answer as a missing one. */
function inScope<Row extends { readonly owner?: Id<"members"> | Id<"teams"> }>(
  { scope, member }: MemberCtx,
  row: Row,
  noun: string,
): Row {
  if (scope === "all" || belongsTo(member, row.owner)) return row;
  return refuse("not_found", `There is no such ${noun}.`);
}

/** `beforeSecondFactor`: the function also works for a session that lacks the second factor its organization asks for. */
type CallOptions = { readonly beforeSecondFactor?: boolean };

/** The signed-in member, if their roles have the right. Refuses: unauthorized, forbidden, second_factor_needed. */
async function admit(ctx: QueryCtx, secret: string, right: Right, options: CallOptions): Promise<MemberCtx> {
  const { session, member } = await authenticateSession(ctx, secret);
  const scope = admittedScope(member, right);
  if (options.beforeSecondFactor !== true) await checkSecondFactor(ctx, session);
  return { organizationId: member.organizationId, member, session, scope };
}

/** How far the right goes for the member. Refuses: forbidden. */
function admittedScope({ roles: held }: Doc<"members">, right: Right): Scope {
  const inWords = held.map(roleWords).join(", ");
  return (
    scopeOf(right, held) ??
    refuse("forbidden", `Your role (${inWords}) does not include this. Ask an owner or an administrator.`)
  );
}

const args = { session: v.string() };

/** Notes the right on a function, for the test of all functions and roles. */
function withRight<Builder extends (definition: never) => object>(right: Right, builder: Builder): Builder {
  return ((definition: never) => Object.assign(builder(definition), { right })) as Builder;
}

/** Makes queries of signed-in members who have a right. Refuses: unauthorized, forbidden, second_factor_needed. */
export function memberQuery(right: Right, options: CallOptions = {}) {
  return withRight(
    right,
    customQuery(query, {
      args,
      input: async (ctx, { session }) => ({ ctx: await admit(ctx, session, right, options), args: {} }),
    }),
  );
}

/** The signed-in member who changes something. `by`: the member, and the time of the call. Refuses: unauthorized. */
async function caller(ctx: MutationCtx, secret: string) {
  const at = Date.now();
  const { session, member } = await authenticateSession(ctx, secret, at);
  const { organizationId } = member;
  const by: Act = { actor: { memberId: member._id, sessionId: session._id }, at };
  const audit = async (action: AuditAction, subject: string, detail?: string): Promise<void> => {
    const described = detail === undefined || detail === "" ? {} : { detail };
    await record(ctx, { organizationId, ...by, action, subject, ...described });
  };
  return { organizationId, member, session, at, by, audit };
}

type Caller = Awaited<ReturnType<typeof caller>>;

/**
 * How far the right goes for a change. Some rights need a recent proof. Refuses: forbidden, second_factor_needed,
 * proof_needed.
 */
async function admitChange(
  ctx: MutationCtx,
  found: Caller,
  right: Right,
  { beforeSecondFactor = false }: CallOptions,
): Promise<Scope> {
  const scope = admittedScope(found.member, right);
  if (!beforeSecondFactor) await checkSecondFactor(ctx, found.session);
  if (needsProof(right)) await checkProof(ctx, found, found.at);
  return scope;
}

/**
 * Makes mutations of signed-in members who have a right. Refuses: unauthorized, forbidden, second_factor_needed,
 * proof_needed. Each forbidden call is recorded, also if the function itself forbids it before it writes anything.
 */
export function memberMutation(right: Right, options: CallOptions = {}) {
  const build = customMutation(mutation, {
    args,
    input: async (given, { session }) => {
      const { ctx, hasWritten } = noteWrites(given);
      const found = await caller(ctx, session);
      // A member without the right never gets further than `recordingRefusals`.
      const scope = scopeOf(right, found.member.roles) ?? "own";
      return { ctx: { ...ctx, ...found, scope, hasWritten }, args: {} };
    },
  });
  const recording: typeof build = recordingRefusals(right, options, build);
  return withRight<typeof build>(right, recording);
}

type ChangeCtx = MutationCtx & Caller & { readonly hasWritten: () => boolean };

type Definition = {
  readonly returns: Validator<unknown, "required", string>;
  readonly handler: (ctx: ChangeCtx, given: object) => Promise<unknown>;
};

/** The type is the same: clients of members' functions turn the answer `refusedAct` into an error. */
function recordingRefusals<Builder extends (definition: never) => object>(
  right: Right,
  options: CallOptions,
  builder: Builder,
): Builder {
  return ((definition: Definition) => {
    const handler = async (ctx: ChangeCtx, given: object): Promise<unknown> => {
      try {
        await admitChange(ctx, ctx, right, options);
        return await definition.handler(ctx, given);
      } catch (error) {
        const { name } = await ctx.meta.getFunctionMetadata();
        const refused = ctx.hasWritten() ? null : await recordForbidden(ctx, ctx, name, error);
        if (refused === null) throw error;
        return refused;
      }
    };
    return builder({ ...definition, returns: v.union(definition.returns, refusedAct), handler } as never);
  }) as unknown as Builder;
}

/** The answer to a call that is forbidden, once that is recorded. Null for other errors, and if it is not to be recorded. */
async function recordForbidden(
  ctx: MutationCtx,
  { member, by }: Caller,
  name: string,
  error: unknown,
): Promise<Infer<typeof refusedAct> | null> {
  const refusal = forbiddenIn(error);
  if (refusal === null || !(await recordRefusedAct(ctx, member, name, refusal.message, by))) return null;
  return { refused: { code: "forbidden", message: refusal.message } };
}

/** The same for the mutation in which an action of a member ends. It records no refusals. */
export function internalMemberMutation(right: Right, options: CallOptions = {}) {
  return customMutation(internalMutation, {
    args,
    input: async (ctx, { session }) => {
      const found = await caller(ctx, session);
      return { ctx: { ...found, scope: await admitChange(ctx, found, right, options) }, args: {} };
    },
  });
}

/**
 * Makes actions of signed-in members who have a right, for work that is slow or needs random numbers. The mutation in which it
 * ends checks the right again. Refuses and records as mutations do.
 */
export function memberAction(right: Right, options: CallOptions = {}) {
  return withRight(
    right,
    customAction(action, {
      args,
      input: async (ctx, { session }) => {
        const { beforeSecondFactor = false } = options;
        const { name } = await ctx.meta.getFunctionMetadata();
        const call = { session, right, beforeSecondFactor, name };
        const answer = await ctx.runMutation(internal.access.signIn.checkRight, call);
        if (answer !== null) refuse(answer.refused.code, answer.refused.message);
        return { ctx: {}, args: { session } };
      },
    }),
  );
}

/**
 * Refuses unless the session's member has the right: unauthorized, second_factor_needed, proof_needed, and forbidden, which is
 * an answer once it is recorded. `name`: the function that was called.
 */
export async function checkRight(
  ctx: MutationCtx,
  call: { readonly session: string; readonly right: Right; readonly name: string } & CallOptions,
): Promise<Infer<typeof refusedAct> | null> {
  const found = await caller(ctx, call.session);
  try {
    await admitChange(ctx, found, call.right, call);
    return null;
  } catch (error) {
    const refused = await recordForbidden(ctx, found, call.name, error);
    if (refused === null) throw error;
    return refused;
  }
}
