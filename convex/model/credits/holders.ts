import { spellCredits } from "../../../app/money/credits.ts";
import type { Doc, Id } from "../../_generated/dataModel.js";
import type { MutationCtx, QueryCtx } from "../../_generated/server.js";
import { availableOf, endPortions } from "../ledger/holds.ts";
import { refuse } from "../refuse.ts";
import { grantedTo } from "./wallet.ts";

export type HolderId = Id<"apiKeys"> | Id<"members"> | Id<"teams">;

/** An API key, a member or a team: administrators and allowances give credits to these. */
export type Holder =
  | { readonly table: "apiKeys"; readonly row: Doc<"apiKeys"> }
  | { readonly table: "members"; readonly row: Doc<"members"> }
  | { readonly table: "teams"; readonly row: Doc<"teams"> };

export async function holderOf(ctx: QueryCtx, id: HolderId): Promise<Holder | null> {
  const keyId = ctx.db.normalizeId("apiKeys", id);
  if (keyId !== null) return holding("apiKeys", await ctx.db.get("apiKeys", keyId));
  const memberId = ctx.db.normalizeId("members", id);
  if (memberId !== null) return holding("members", await ctx.db.get("members", memberId));
  const teamId = ctx.db.normalizeId("teams", id);
  return teamId === null ? null : holding("teams", await ctx.db.get("teams", teamId));
}

function holding<Table extends Holder["table"]>(table: Table, row: Doc<Table> | null) {
  return row === null ? null : { table, row };
}

/** Whether a key was revoked, or a member or a team was removed. */
export function hasEnded({ table, row }: Holder): boolean {
  return (table === "apiKeys" ? row.revokedAt : row.removedAt) !== undefined;
}

/** Refuses a holder whose credits nobody changes by hand: revoked, invalid (a playground key, or a removed member or team). */
export function checkMayGetCredits({ table, row }: Holder): void {
  if (table !== "apiKeys") {
    if (row.removedAt !== undefined)
      refuse("invalid", "This member or team is no longer in the organization.");
    return;
  }
  if (row.revokedAt !== undefined)
    refuse("revoked", "This API key was revoked, so its credits stay as they are.");
  if (row.playgroundUntil !== undefined)
    refuse("invalid", "The credits of the console's own keys are set on the page Playground.");
}

/** The credits that can be taken back now: of a key those that no job holds, of a member or a team the unused ones they were given. */
export async function takeableOf(ctx: QueryCtx, { table, row }: Holder): Promise<bigint> {
  return table === "apiKeys" ? await availableOf(ctx, row._id) : await grantedTo(ctx, row._id);
}

/** Call it before credits are taken back. Refuses: conflict (there are fewer). */
export async function checkTakeable(ctx: MutationCtx, holder: Holder, micro: bigint): Promise<void> {
  const { table, row } = holder;
  const takeable = await takeableOf(ctx, holder);
  if (table !== "apiKeys") {
    if (takeable < micro)
      refuse("conflict", `Only ${spellCredits(takeable)} of what was given are not used yet.`);
    return;
  }
  if (takeable < micro)
    refuse("conflict", `This API key has only ${spellCredits(takeable)} that no job holds.`);
  await endPortions(ctx, row._id);
}
