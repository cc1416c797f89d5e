import type { Doc, Id } from "../../_generated/dataModel.js";
import type { MutationCtx } from "../../_generated/server.js";
import { passFence } from "./fence.ts";
import { heldBy } from "./held.ts";
import { move } from "./move.ts";

const maxReasonChars = 100;

/** The device gives a job back, mostly because its person is. No failure: it costs the job no retry. */
export async function release(
  ctx: MutationCtx,
  device: Doc<"devices">,
  given: { readonly attemptId: Id<"attempts">; readonly reason: string },
  now: number,
): Promise<{ kind: "ok" } | { kind: "fenced" }> {
  const held = await passFence(ctx, device, given.attemptId);
  if (held === null) return { kind: "fenced" };
  const releaseReason = given.reason.slice(0, maxReasonChars);
  await move(ctx, held.job, { kind: "release" }, now, { attempt: { releaseReason } });
  return { kind: "ok" };
}

/** Gives back everything that a device holds: it starts afresh, says goodbye, or is retired. */
export async function releaseAll(
  ctx: MutationCtx,
  device: Doc<"devices">,
  reason: string,
  now: number,
): Promise<void> {
  for (const attempt of await heldBy(ctx, device._id)) {
    await release(ctx, device, { attemptId: attempt._id, reason }, now);
  }
}
