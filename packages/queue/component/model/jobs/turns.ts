import type { JobSpec, LimitedBy } from "../../../shared/validators.ts";
import type { Doc, MutationCtx, QueryCtx } from "../builders.ts";
import { firstOf, remembered } from "../load.ts";
import { maintenance } from "../references.ts";

type Names = { readonly requester?: string | undefined; readonly key?: string | undefined };

export type Terms = {
  /** The number of seats that the requester has in a slot. It sets how often the requester has its turn. */
  readonly weight: number;
  /** The limit whose turn the job has to wait for; null if neither the requester nor the key is limited. */
  readonly turnOf: LimitedBy | null;
};

/**
 * The limits that apply to a requester's and a key's jobs. A job of a limited requester or key always waits for a turn,
 * even if one is free, so two submissions never count the same jobs. The submission schedules `admit`.
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

/** The limit of a requester or a key; null if none is set. */
export async function limitOf(
  ctx: QueryCtx,
  scope: string,
  of: LimitedBy,
  name: string,
): Promise<Doc<"limits"> | null> {
  return await firstOf(
    ctx.db.query("limits").withIndex("by_name", (q) => q.eq("scope", scope).eq("of", of).eq("name", name)),
  );
}

/** When a job gives up its turn, lets the next job of its requester and its key take one. */
export async function releaseTurns(ctx: MutationCtx, job: Doc<"jobs">): Promise<void> {
  await Promise.all([releaseTurn(ctx, job, "requester"), releaseTurn(ctx, job, "key")]);
}

async function releaseTurn(ctx: MutationCtx, job: Doc<"jobs">, of: LimitedBy): Promise<void> {
  const name = job[of];
  if (name === undefined) return;
  const limit = await limitOf(ctx, job.scope, of, name);
  if (limit?.concurrency !== undefined) await scheduleAdmit(ctx, job.scope, of, job);
}

/** Lets a limited requester's or key's next jobs have a turn. `of` null: there is no limit. */
export async function scheduleAdmit(
  ctx: MutationCtx,
  scope: string,
  of: LimitedBy | null,
  names: Names,
): Promise<void> {
  const name = of === null ? undefined : names[of];
  if (of === null || name === undefined) return;
  await ctx.scheduler.runAfter(0, maintenance.admit, { scope, of, name });
}

/** The limits for each job, in order. Each pair of requester and key is read once. */
export async function termsFor(ctx: QueryCtx, scope: string, specs: readonly JobSpec[]): Promise<Terms[]> {
  const known = new Map<string, Promise<Terms>>();
  return await Promise.all(
    specs.map((spec) =>
      remembered(known, JSON.stringify([spec.requester ?? null, spec.key ?? null]), () =>
        termsOf(ctx, scope, spec),
      ),
    ),
  );
}

/** Schedules `admit` once for each limited requester and key of a submission. */
export async function scheduleTurns(
  ctx: MutationCtx,
  scope: string,
  jobs: readonly { readonly spec: JobSpec; readonly terms: Terms }[],
): Promise<void> {
  const limited = new Map<string, (typeof jobs)[number]>();
  for (const job of jobs) {
    const { turnOf } = job.terms;
    if (turnOf !== null) limited.set(`${turnOf}:${job.spec[turnOf] ?? ""}`, job);
  }
  for (const { spec, terms } of limited.values()) await scheduleAdmit(ctx, scope, terms.turnOf, spec);
}
