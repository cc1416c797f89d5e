import type { QueryCtx } from "../../builders.ts";
import { limitOf } from "./limitOf.ts";

export type LimitedBy = "requester" | "key";

type Names = { readonly requester?: string | undefined; readonly key?: string | undefined };

export type Terms = {
  /** Seats that the requester has in a slot: how often it has its turn between others. */
  readonly weight: number;
  /** Whose turn a job has to wait for; null when neither is limited. */
  readonly turnOf: LimitedBy | null;
};

/**
 * On what terms a requester's and a key's jobs come in. Whoever is limited waits for its turn, also while there is
 * room: so that no two submissions count the same jobs. The submission schedules `admit` for `turnOf`.
 */
export async function termsOf(ctx: QueryCtx, scope: string, { requester, key }: Names): Promise<Terms> {
  const [ofRequester, ofKey] = await Promise.all([
    requester === undefined ? null : limitOf(ctx, scope, "requester", requester),
    key === undefined ? null : limitOf(ctx, scope, "key", key),
  ]);
  return {
    weight: ofRequester?.weight ?? 1,
    turnOf: firstLimited(ofRequester?.concurrency, ofKey?.concurrency),
  };
}

function firstLimited(requester: number | undefined, key: number | undefined): LimitedBy | null {
  if (requester !== undefined) return "requester";
  return key === undefined ? null : "key";
}
