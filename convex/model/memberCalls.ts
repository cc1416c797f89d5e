import { v } from "convex/values";
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
import { ownedOrder } from "./orders/orders.ts";
import { owned, refuse } from "./refuse.ts";
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

/** The order of a job that the member may see. Refuses: not_found. */
export async function ownJob(ctx: ScopedCtx, jobId: string): Promise<Doc<"orders">> {
  const order = await ownedOrder(ctx, ctx.organizationId, jobId);
  if (ctx.scope === "own") await ownKey(ctx, order.apiKeyId);
  return order;
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

/** Somebody else's row gets the same answer as a missing one. */
function inScope<Row extends { readonly owner?: Id<"members"> | Id<"teams"> }>(
  { scope, member }: MemberCtx,
  row: Row,
  noun: string,
): Row {
  if (scope === "all" || belongsTo(member, row.owner)) return row;
  return refuse("not_found", `There is no such ${noun}.`);
}

/** The signed-in member, if their roles have the right. Refuses: unauthorized, forbidden. */
async function admit(ctx: QueryCtx, secret: string, right: Right, now?: number): Promise<MemberCtx> {
  const { session, member } = await authenticateSession(ctx, secret, now);
  const scope = scopeOf(right, member.roles);
  if (scope === null) {
    const held = member.roles.map(roleWords).join(", ");
    refuse("forbidden", `Your role (${held}) does not include this. Ask an owner or an administrator.`);
  }
  return { organizationId: member.organizationId, member, session, scope };
}

const args = { session: v.string() };

/** Notes the right on a function, for the test of all functions and roles. */
function withRight<Builder extends (definition: never) => object>(right: Right, builder: Builder): Builder {
  return ((definition: never) => Object.assign(builder(definition), { right })) as Builder;
}

/** Makes queries of signed-in members who have a right. Refuses: unauthorized, forbidden. */
export function memberQuery(right: Right) {
  return withRight(
    right,
    customQuery(query, {
      args,
      input: async (ctx, { session }) => ({ ctx: await admit(ctx, session, right), args: {} }),
    }),
  );
}

/**
 * The same for a change. `by`: the member, and the time of the call. Some rights need a recent proof. Refuses: unauthorized,
 * forbidden, proof_needed.
 */
async function admitChange(ctx: MutationCtx, secret: string, right: Right) {
  const at = Date.now();
  const admitted = await admit(ctx, secret, right, at);
  if (needsProof(right)) await checkProof(ctx, admitted, at);
  const { organizationId } = admitted;
  const by: Act = { actor: { memberId: admitted.member._id, sessionId: admitted.session._id }, at };
  const audit = async (action: AuditAction, subject: string, detail?: string): Promise<void> => {
    const described = detail === undefined ? {} : { detail };
    await record(ctx, { organizationId, ...by, action, subject, ...described });
  };
  return { ...admitted, at, by, audit };
}

/** Makes mutations of signed-in members who have a right. Refuses: unauthorized, forbidden, proof_needed. */
export function memberMutation(right: Right) {
  return withRight(
    right,
    customMutation(mutation, {
      args,
      input: async (ctx, { session }) => ({ ctx: await admitChange(ctx, session, right), args: {} }),
    }),
  );
}

/** The same for the mutation in which an action of a member ends. */
export function internalMemberMutation(right: Right) {
  return customMutation(internalMutation, {
    args,
    input: async (ctx, { session }) => ({ ctx: await admitChange(ctx, session, right), args: {} }),
  });
}

/**
 * Makes actions of signed-in members who have a right, for work that is slow or needs random numbers. The mutation in which it
 * ends checks the right again. Refuses as mutations do.
 */
export function memberAction(right: Right) {
  return withRight(
    right,
    customAction(action, {
      args,
      input: async (ctx, { session }) => {
        await ctx.runMutation(internal.signIn.checkRight, { session, right });
        return { ctx: {}, args: { session } };
      },
    }),
  );
}

/** Refuses unless the session's member has the right: unauthorized, forbidden, proof_needed. */
export async function checkRight(ctx: MutationCtx, session: string, right: Right): Promise<void> {
  await admitChange(ctx, session, right);
}
