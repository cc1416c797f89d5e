import { parsePrefer } from "../../../app/jobs/parse/parse-prefer.ts";
import type { ActionCtx } from "../../_generated/server.js";
import type { Caller } from "../endpoint.ts";
import { refusedWait, waitLimitMs } from "../requestedJob.ts";
import type { ApiError } from "../respond.ts";

/** The wait for an end that the reader of an answer asks for, by `Prefer: wait=N`. `giveUpAt`: ms epoch; null: the reader does not wait. */
export async function askedWait(
  ctx: ActionCtx,
  request: Request,
  caller: Caller,
): Promise<{ readonly giveUpAt: number | null } | { readonly error: ApiError }> {
  const { waitMs } = parsePrefer(request.headers.get("prefer") ?? "");
  if (waitMs === null || waitMs === 0) return { giveUpAt: null };
  const full = await refusedWait(ctx, caller);
  return full === null ? { giveUpAt: Date.now() + Math.min(waitMs, waitLimitMs) } : { error: full };
}
