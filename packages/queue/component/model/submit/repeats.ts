import type { JobSpec } from "../../../shared/validators.ts";
import type { Doc, Id, QueryCtx } from "../builders.ts";
import { firstOf } from "../load.ts";
import { present } from "../refuse.ts";

/**
 * The fate of one job of a submission. `earlier`: the job exists. `duplicate`: the same call has it at index `at`.
 */
export type Resolution =
  | { readonly kind: "new" }
  | { readonly kind: "earlier"; readonly jobId: Id<"jobs"> }
  | { readonly kind: "duplicate"; readonly at: number }
  | { readonly kind: "conflict"; readonly idempotencyKey: string };

type Earlier = Pick<Doc<"jobs">, "_id" | "fingerprint">;

/** The existing jobs with these idempotency keys. All are point reads, in parallel. */
export async function earlierJobs(
  ctx: QueryCtx,
  scope: string,
  specs: readonly JobSpec[],
): Promise<ReadonlyMap<string, Earlier>> {
  const keys = new Set(specs.flatMap(({ idempotencyKey }) => idempotencyKey ?? []));
  const found = await Promise.all(
    [...keys].map(async (key) => {
      const job = await firstOf(
        ctx.db
          .query("jobs")
          .withIndex("by_idempotency", (q) => q.eq("scope", scope).eq("idempotencyKey", key)),
      );
      return job === null ? [] : [[key, job] as const];
    }),
  );
  return new Map(found.flat());
}

/** Resolves each job, in order. A key without a fingerprint, for example of a purged job, matches any request. */
export function resolveRepeats(
  specs: readonly Pick<JobSpec, "idempotencyKey" | "fingerprint">[],
  earlier: ReadonlyMap<string, Earlier>,
): Resolution[] {
  const first = new Map<string, number>();
  return specs.map(({ idempotencyKey, fingerprint }, index) => {
    if (idempotencyKey === undefined) return { kind: "new" };
    const known = earlier.get(idempotencyKey);
    const at = first.get(idempotencyKey);
    if (known === undefined && at === undefined) {
      first.set(idempotencyKey, index);
      return { kind: "new" };
    }
    const before = known?.fingerprint ?? (at === undefined ? undefined : specs[at]?.fingerprint);
    if (before !== undefined && fingerprint !== undefined && before !== fingerprint) {
      return { kind: "conflict", idempotencyKey };
    }
    return known === undefined
      ? { kind: "duplicate", at: at ?? index }
      : { kind: "earlier", jobId: known._id };
  });
}

/** The ids that a submission returns, in its order. `inserted`: the new jobs' ids, by index in the call. */
export function idsOf(
  resolutions: readonly Resolution[],
  inserted: ReadonlyMap<number, Id<"jobs">>,
): Id<"jobs">[] {
  return resolutions.map((resolution, index) => {
    if (resolution.kind === "earlier") return resolution.jobId;
    return present(inserted.get(resolution.kind === "duplicate" ? resolution.at : index), "inserted job");
  });
}
