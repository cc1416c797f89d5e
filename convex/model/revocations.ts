import type { Doc } from "../_generated/dataModel.js";
import type { MutationCtx } from "../_generated/server.js";
import { revokeCode } from "./devices/enrollmentCodes.ts";
import { retireMany } from "./devices/service.ts";
import { revokeKey } from "./keys/keyEnds.ts";
import type { carriedTables } from "./restores.ts";
import { revokeToken } from "./statistics/token.ts";

/** Documents that one call reads. Each may cost several writes. */
const perPage = 50;

type Table = (typeof carriedTables)[number];
type Page = { readonly count: number; readonly next: string | null };
type Revoker = (ctx: MutationCtx, cursor: string | null, now: number) => Promise<Page>;

/** Revokes a page of a table's documents. @param revoke returns how many were not revoked before */
function pageOf<Name extends Table>(
  table: Name,
  revoke: (ctx: MutationCtx, rows: readonly Doc<Name>[], now: number) => Promise<number>,
): Revoker {
  return async (ctx, cursor, now) => {
    const { page, isDone, continueCursor } = await ctx.db
      .query(table)
      .paginate({ numItems: perPage, cursor });
    return { count: await revoke(ctx, page, now), next: isDone ? null : continueCursor };
  };
}

/** The kinds of secrets, by the names of their counts. */
const revokers: readonly (readonly [string, Revoker])[] = [
  [
    "apiKeys",
    pageOf("apiKeys", async (ctx, keys, now) => {
      let count = 0;
      for (const key of keys) if (await revokeKey(ctx, key, { actor: "setup", at: now })) count += 1;
      return count;
    }),
  ],
  [
    "devices",
    pageOf(
      "devices",
      async (ctx, devices, now) => await retireMany(ctx, devices, { actor: "setup", at: now }),
    ),
  ],
  [
    "enrollmentCodes",
    pageOf("enrolmentCodes", async (ctx, codes, now) => {
      let count = 0;
      for (const code of codes) if (await revokeCode(ctx, code, { actor: "setup", at: now })) count += 1;
      return count;
    }),
  ],
  [
    "signInLinks",
    pageOf("signInLinks", async (ctx, links, now) => {
      const unused = links.filter(({ usedAt }) => usedAt === undefined);
      for (const { _id } of unused) await ctx.db.patch("signInLinks", _id, { usedAt: now });
      return unused.length;
    }),
  ],
  [
    "metricsTokens",
    pageOf("metricsTokens", async (ctx, tokens, now) => {
      let count = 0;
      for (const token of tokens) if (await revokeToken(ctx, token, { actor: "setup", at: now })) count += 1;
      return count;
    }),
  ],
];

/**
 * Revokes the next page of secrets of all organizations: API keys, devices' keys, enrollment codes, sign-in links and tokens for metrics.
 * @param position "" first, then the `next` of the call before
 */
export async function revokeNext(
  ctx: MutationCtx,
  position: string,
  now: number,
): Promise<{ counts: Record<string, number>; next: string | null }> {
  const [, given = "0", cursor = ""] = /^(\d+):(.*)$/s.exec(position) ?? [];
  const at = Number(given);
  const [name, revoke] = revokers[at] ?? [];
  if (name === undefined || revoke === undefined) return { counts: {}, next: null };
  const { count, next } = await revoke(ctx, cursor === "" ? null : cursor, now);
  const counts = { [name]: count };
  if (next !== null) return { counts, next: `${String(at)}:${next}` };
  return { counts, next: at + 1 < revokers.length ? `${String(at + 1)}:` : null };
}
