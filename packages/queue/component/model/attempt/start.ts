import type { Doc, MutationCtx } from "../../builders.ts";
import { attemptsOf, type Held, passFences } from "../jobs/held.ts";
import { move } from "../jobs/move.ts";

/** A worker begins what it held ahead: from now on nobody steals it. @returns what it holds no more. */
export async function start(
  ctx: MutationCtx,
  worker: Doc<"workers">,
  attempts: Awaited<ReturnType<typeof attemptsOf>>,
  now: number,
): Promise<string[]> {
  const { held, fenced } = await passFences(ctx, worker, attempts);
  await begin(ctx, held, now);
  return fenced;
}

/** One that is begun already stays so. */
export async function begin(ctx: MutationCtx, held: readonly Held[], now: number): Promise<void> {
  for (const { job } of held) {
    if (job.status === "prefetched") await move(ctx, job, { kind: "start" }, now);
  }
}
