import type { MutationCtx } from "../builders.ts";
import { clip } from "./bounds.ts";

export type QueueEvent = {
  readonly scope: string;
  /** ms epoch. */
  readonly at: number;
  /** Whom the app says it was; "app" where it does not say. */
  readonly actor: string | undefined;
  /** What was done, as `noun.verb`. */
  readonly action: string;
  /** To what: an id or a name. */
  readonly subject: string;
};

const maxLength = 255;

/** Notes who did what to the queue. Append-only. */
export async function record(ctx: MutationCtx, event: QueueEvent): Promise<void> {
  const { actor = "app", action, subject } = event;
  await ctx.db.insert("events", {
    ...event,
    actor: clip(actor, maxLength),
    action: clip(action, maxLength),
    subject: clip(subject, maxLength),
  });
}

const piece = 500;

/** Deletes events that were noted before then. @returns whether more is left. */
export async function forgetEvents(ctx: MutationCtx, before: number): Promise<boolean> {
  const old = await ctx.db
    .query("events")
    .withIndex("by_creation_time", (q) => q.lt("_creationTime", before))
    .take(piece);
  await Promise.all(old.map(({ _id }) => ctx.db.delete("events", _id)));
  return old.length === piece;
}
