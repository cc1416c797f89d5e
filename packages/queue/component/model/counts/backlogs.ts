import type { Doc, QueryCtx } from "../../builders.ts";
import { onlyOf } from "../onlyOf.ts";
import type { Settings } from "../settings.ts";

/** Those of the lanes (by name) or requesters that were full when last counted: a point read each, all at once. */
export async function crowdsOf(
  ctx: QueryCtx,
  scope: string,
  of: Doc<"crowds">["of"],
  names: readonly string[],
): Promise<readonly Doc<"crowds">[]> {
  const rows = await Promise.all(
    [...new Set(names)].map((name) =>
      onlyOf(
        ctx.db
          .query("crowds")
          .withIndex("by_name", (q) => q.eq("scope", scope).eq("of", of).eq("name", name)),
      ),
    ),
  );
  return rows.flatMap((row) => row ?? []);
}

/** When to ask again, in ms, within what is set. Null when nothing is full. */
export function retryAfterMs(
  crowds: readonly Pick<Doc<"crowds">, "retryAt">[],
  { minRetryAfterMs, maxRetryAfterMs }: Pick<Settings, "minRetryAfterMs" | "maxRetryAfterMs">,
  now: number,
): number | null {
  if (crowds.length === 0) return null;
  const latest = Math.max(...crowds.map(({ retryAt }) => retryAt));
  return Math.min(maxRetryAfterMs, Math.max(minRetryAfterMs, latest - now));
}
