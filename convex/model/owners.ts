import { type Infer, v } from "convex/values";
import { visibleText } from "../../app/format/visible.ts";
import { areOneOwner as areOneOwnerOf, type Owner as OwnerWithTeams } from "../../app/trust/sides.ts";
import type { Doc, Id } from "../_generated/dataModel.js";
import type { QueryCtx } from "../_generated/server.js";
import { refuse } from "./refuse.ts";

export type Owner = NonNullable<Doc<"apiKeys">["owner"]>;

/** To whom a key or a device belongs, by name; null: to the organization. */
export const ownerName = v.union(
  v.object({ kind: v.union(v.literal("member"), v.literal("team")), id: v.string(), name: v.string() }),
  v.null(),
);

export async function ownerView(ctx: QueryCtx, owner: Owner | undefined): Promise<Infer<typeof ownerName>> {
  if (owner === undefined) return null;
  const row = await ownerRow(ctx, owner);
  const kind = ctx.db.normalizeId("members", owner) === null ? "team" : "member";
  return { kind, id: owner, name: visibleText(row?.name ?? "") };
}

/** An owner from outside: a current member or team of the organization. Refuses: not_found. */
export async function checkedOwner(
  ctx: QueryCtx,
  organizationId: Id<"organizations">,
  owner: Owner,
): Promise<Owner> {
  const row = await ownerRow(ctx, owner);
  if (row?.organizationId === organizationId && row.removedAt === undefined) return owner;
  return refuse("not_found", "There is no such member or team.");
}

/** The owner, if it is still a member or a team. What a removed one would get belongs to the organization. */
export async function currentOwner(ctx: QueryCtx, owner: Owner | undefined): Promise<Owner | undefined> {
  if (owner === undefined) return undefined;
  const row = await ownerRow(ctx, owner);
  return row === null || row.removedAt !== undefined ? undefined : owner;
}

/** A member with their teams, or a team. */
export async function ownerWithTeams(ctx: QueryCtx, owner: Owner): Promise<OwnerWithTeams> {
  const memberId = ctx.db.normalizeId("members", owner);
  const row = memberId === null ? null : await ctx.db.get("members", memberId);
  return { id: owner, teams: row?.teamIds ?? [] };
}

/**
 * Whether the job of one's key, done by the other's device, is an own job: both belong to one member or one team, or one to a
 * member and the other to a team of that member. Without the last case a member could earn from the credits of a team that they
 * spend themselves. What belongs to the organization is nobody's own.
 */
export async function areOneOwner(
  ctx: QueryCtx,
  one: Owner | undefined,
  other: Owner | undefined,
): Promise<boolean> {
  if (one === undefined || other === undefined) return false;
  const [first, second] = await Promise.all([ownerWithTeams(ctx, one), ownerWithTeams(ctx, other)]);
  return areOneOwnerOf(first, second);
}

/** The row of a member or a team, also of a removed one. */
export async function ownerRow(ctx: QueryCtx, owner: Owner): Promise<Doc<"members"> | Doc<"teams"> | null> {
  const memberId = ctx.db.normalizeId("members", owner);
  if (memberId !== null) return await ctx.db.get("members", memberId);
  const teamId = ctx.db.normalizeId("teams", owner);
  return teamId === null ? null : await ctx.db.get("teams", teamId);
}
