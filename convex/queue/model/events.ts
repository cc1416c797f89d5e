import type { MutationCtx } from "../builders.ts";

export type QueueEvent = {
  readonly scope: string;
  /** ms epoch. */
  readonly at: number;
  /** Whom the app says it was; "" where it does not say. */
  readonly actor: string;
  /** What was done, as `noun.verb`. */
  readonly action: string;
  /** To what: an id or a name. */
  readonly subject: string;
};

const maxLength = 255;

/** Notes who did what to the queue. Append-only. */
export async function record(ctx: MutationCtx, event: QueueEvent): Promise<void> {
  const { actor, action, subject } = event;
  await ctx.db.insert("events", {
    ...event,
    actor: actor.slice(0, maxLength),
    action: action.slice(0, maxLength),
    subject: subject.slice(0, maxLength),
  });
}
