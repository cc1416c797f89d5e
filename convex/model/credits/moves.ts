import { type Infer, v } from "convex/values";
import { keyMoveWords } from "../../../app/credits/key-moves.ts";
import { visibleText } from "../../../app/format/visible.ts";
import { formatExactCredits } from "../../../app/money/credits.ts";
import type { Doc, Id } from "../../_generated/dataModel.js";
import type { MutationCtx, QueryCtx } from "../../_generated/server.js";
import { type Act, record } from "../audit.ts";
import { walletAccount } from "../ledger/transfer.ts";
import { type Owner, ownerRow } from "../owners.ts";
import { boundedText, refuse } from "../refuse.ts";
import { creditMoveKind, paidPeriod } from "../validators/credits.ts";
import { noteKeyMove } from "./keyStatement.ts";
import { addingEntries, noteMove, take, takeForKey } from "./wallet.ts";

/** `moveId`: chosen by the caller. A second move with it changes nothing. */
export type Move = { readonly moveId: string; readonly micro: bigint };

const maxNoteChars = 200;

/**
 * The key of a member's move. Null: it was made already. Refuses: invalid.
 */
export async function newMoveKey(
  ctx: QueryCtx,
  memberId: Id<"members">,
  moveId: string,
): Promise<string | null> {
  boundedText(moveId, "The id of the move", 64);
  const key = `move:${memberId}:${moveId}`;
  const known = await ctx.db
    .query("ledgerEntries")
    .withIndex("by_transfer", (q) => q.eq("transferKey", key))
    .first();
  return known === null ? key : null;
}

/**
 * Makes credits of a member, or of a team of theirs, budget of an API key. The caller has checked that the member may use the key.
 * A team's credits go only to the team's own keys, since a member's key is used by one person. Refuses: invalid, revoked, conflict.
 * @param team null: the member's own credits.
 */
export async function moveToKey(
  ctx: MutationCtx,
  { _id: memberId, organizationId, name }: Doc<"members">,
  team: Doc<"teams"> | null,
  { _id: apiKeyId, revokedAt, playgroundUntil, owner: keyOwner }: Doc<"apiKeys">,
  { moveId, micro }: Move,
  by: Act,
): Promise<void> {
  const key = await newMoveKey(ctx, memberId, moveId);
  if (key === null) return;
  if (revokedAt !== undefined) refuse("revoked", "This API key was revoked, so it gets no credits.");
  if (playgroundUntil !== undefined)
    refuse("invalid", "The credits of the console's own keys are set on the page Playground.");
  if (team !== null && keyOwner !== team._id)
    refuse("invalid", "A team's credits can only be used with an API key of the team.");
  const owner = team?._id ?? memberId;
  const taking = { key, organizationId, owner, kind: "move" as const, micro, at: by.at };
  const given = await takeForKey(ctx, taking, apiKeyId);
  await noteMove(ctx, organizationId, {
    owner,
    kind: "to-key",
    micro: -micro,
    at: by.at,
    other: apiKeyId,
    // The others of the team read who did it.
    ...(team === null ? {} : { note: name }),
  });
  const source = { kind: originOf(given, micro) };
  await noteKeyMove(ctx, { apiKeyId, at: by.at, micro, source });
  const origin = keyMoveWords({ micro, source }).toLowerCase();
  const whose = team === null ? origin : `${origin} of the team ${team.name}`;
  const detail = `${formatExactCredits(micro)} ${whose} moved to it`;
  await record(ctx, { organizationId, ...by, action: "credits.moved-to-key", subject: apiKeyId, detail });
}

/** @param given how many of the credits their owner was given. */
function originOf(given: bigint, micro: bigint): "earned" | "given" | "given-and-earned" {
  if (given === 0n) return "earned";
  return given === micro ? "given" : "given-and-earned";
}

/**
 * Gives earned credits to a colleague or a team, with a note. They expire when they would have expired before. Refuses: invalid,
 * conflict.
 */
export async function giveCredits(
  ctx: MutationCtx,
  { _id: memberId, organizationId }: Doc<"members">,
  { _id: to, removedAt }: Doc<"members"> | Doc<"teams">,
  { moveId, micro, note }: Move & { readonly note: string },
  by: Act,
): Promise<void> {
  const key = await newMoveKey(ctx, memberId, moveId);
  if (key === null) return;
  if (removedAt !== undefined) refuse("invalid", "This member or team is no longer in the organization.");
  if (to === memberId) refuse("invalid", "Choose a colleague: these are your credits already.");
  const words = boundedText(note.trim(), "The note", maxNoteChars);
  const taking = { key, organizationId, owner: memberId, kind: "move" as const, micro, at: by.at };
  await take(ctx, taking, (lots) => addingEntries(walletAccount(to), lots));
  const noted = { at: by.at, note: words };
  await noteMove(ctx, organizationId, {
    owner: memberId,
    kind: "given",
    micro: -micro,
    other: to,
    ...noted,
  });
  await noteMove(ctx, organizationId, { owner: to, kind: "received", micro, other: memberId, ...noted });
  const detail = `${formatExactCredits(micro)}: ${words}`;
  await record(ctx, { organizationId, ...by, action: "credits.given", subject: to, detail });
}

export const moveRow = v.object({
  moveId: v.id("creditMoves"),
  kind: creditMoveKind,
  micro: v.int64(),
  at: v.number(),
  /** The name of the key, the colleague, the team or the administrator. */
  other: v.union(v.string(), v.null()),
  /** Of an allowance. */
  period: v.optional(paidPeriod),
  note: v.union(v.string(), v.null()),
});

/** Moves of an owner since a time, newest first. */
export async function movesSince(
  ctx: QueryCtx,
  owner: Owner,
  since: number,
  most: number,
): Promise<readonly Doc<"creditMoves">[]> {
  return await ctx.db
    .query("creditMoves")
    .withIndex("by_owner", (q) => q.eq("owner", owner).gte("at", since))
    .order("desc")
    .take(most);
}

/** Moves with the names of keys, colleagues and teams. */
export async function namedMoves(
  ctx: QueryCtx,
  moves: readonly Doc<"creditMoves">[],
): Promise<Infer<typeof moveRow>[]> {
  return await Promise.all(
    moves.map(async ({ _id: moveId, kind, micro, at, other, period, note }) => ({
      moveId,
      kind,
      micro,
      at,
      other: await nameOf(ctx, other),
      ...(period === undefined ? {} : { period }),
      note: note === undefined ? null : visibleText(note),
    })),
  );
}

async function nameOf(ctx: QueryCtx, other: Doc<"creditMoves">["other"]): Promise<string | null> {
  if (other === undefined) return null;
  const keyId = ctx.db.normalizeId("apiKeys", other);
  const row = keyId === null ? await ownerRow(ctx, other as Owner) : await ctx.db.get("apiKeys", keyId);
  return row === null ? null : visibleText(row.name);
}
