import type { QueryCtx } from "../../builders.ts";
import type { JobSpec } from "../../validators.ts";
import { lookAhead, type Outlook } from "../dependencies/dependOn.ts";
import { type Terms, termsOf } from "../jobs/turns.ts";

/** The terms of each job, in order; those of one requester and key are read once. */
export async function termsFor(ctx: QueryCtx, scope: string, specs: readonly JobSpec[]): Promise<Terms[]> {
  const known = new Map<string, Promise<Terms>>();
  return await Promise.all(
    specs.map((spec) => {
      const { requester, key } = spec;
      const who = JSON.stringify([requester ?? null, key ?? null]);
      const terms = known.get(who) ?? termsOf(ctx, scope, { requester, key });
      known.set(who, terms);
      return terms;
    }),
  );
}

/** Whether each job, in order, has to wait for others; null for one that depends on none. */
export async function outlooksFor(
  ctx: QueryCtx,
  scope: string,
  specs: readonly JobSpec[],
): Promise<(Outlook | null)[]> {
  return await Promise.all(
    specs.map(async ({ after }) => (after === undefined ? null : await lookAhead(ctx, scope, after))),
  );
}
