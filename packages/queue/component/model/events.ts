import { clip } from "./bounds.ts";
import type { MutationCtx } from "./builders.ts";

export type QueueEvent = {
  readonly scope: string;
  /** ms epoch. */
  readonly at: number;
  /** The actor that the app names; "app" if it names none. */
  readonly actor: string | undefined;
  /** The action, as `noun.verb`. */
  readonly action: string;
  /** The id or name of the thing that was changed. */
  readonly subject: string;
};

const maxLength = 255;

/** Records an administrative change and who made it. Events are never changed. */
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

/** Deletes events recorded before a time. @returns whether more are left. */
export async function forgetEvents(ctx: MutationCtx, before: number): Promise<boolean> {
  const old = await ctx.db
    .query("events")
    .withIndex("by_creation_time", (q) => q.lt("_creationTime", before))
    .take(piece);
  await Promise.all(old.map(({ _id }) => ctx.db.delete("events", _id)));
  return old.length === piece;
}
