import {
  type HonestReplays,
  type Limits,
  limitsOf,
  noReplays,
  replayClass,
  withReplay,
} from "../../../app/trust/honest-replays.ts";
import type { Replay } from "../../../app/trust/replay.ts";
import type { Doc, Id } from "../../_generated/dataModel.js";
import type { MutationCtx, QueryCtx } from "../../_generated/server.js";

/** A model's file and the kinds of both computers; null: a kind is not known. */
export type ReplayKind = {
  readonly organizationId: Id<"organizations">;
  readonly sha256: string;
  readonly worker: string | null;
  readonly checker: string | null;
};

const unknownKind = "unknown";

function nameOf({ sha256, worker, checker }: ReplayKind): string {
  return replayClass(sha256, worker ?? unknownKind, checker ?? unknownKind);
}

async function rowOf(ctx: QueryCtx, kind: ReplayKind): Promise<Doc<"honestReplays"> | null> {
  return await ctx.db
    .query("honestReplays")
    .withIndex("by_class", (q) => q.eq("organizationId", kind.organizationId).eq("class", nameOf(kind)))
    .unique();
}

function replaysIn(row: Doc<"honestReplays"> | null): HonestReplays {
  return { ...noReplays, ...row };
}

/** The limits of honest answers in a class, as they are learned so far. */
export async function learnedLimits(ctx: QueryCtx, kind: ReplayKind): Promise<Limits> {
  return limitsOf(replaysIn(await rowOf(ctx, kind)));
}

/** Learns from a replay that accuses nobody. */
export async function learn(ctx: MutationCtx, kind: ReplayKind, replay: Replay): Promise<void> {
  const row = await rowOf(ctx, kind);
  const before = replaysIn(row);
  const learned = withReplay(before, replay);
  if (learned === before) return;
  const changed = { regrets: [...learned.regrets], missShares: [...learned.missShares] };
  if (row !== null) await ctx.db.patch("honestReplays", row._id, changed);
  else {
    const { organizationId } = kind;
    await ctx.db.insert("honestReplays", { organizationId, class: nameOf(kind), ...changed });
  }
}
