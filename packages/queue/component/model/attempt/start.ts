import type { Doc, MutationCtx } from "../../builders.ts";
import { attemptOf, type Held, passFences } from "../jobs/fence.ts";
import { move } from "../jobs/move.ts";
import { refuse } from "../refuse.ts";

const maxNamed = 64;

/** Attempts by their ids as a worker names them. At once, beside the worker's own row. */
export async function attemptsOf(
  ctx: MutationCtx,
  ids: readonly string[],
): Promise<readonly { readonly attemptId: string; readonly attempt: Doc<"attempts"> | null }[]> {
  if (ids.length > maxNamed) refuse("invalid", `At most ${String(maxNamed)} attempts a call.`);
  const unique = [...new Set(ids)];
  return await Promise.all(
    unique.map(async (attemptId) => ({ attemptId, attempt: await attemptOf(ctx, attemptId) })),
  );
}

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
