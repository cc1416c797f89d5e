import type { Doc, Id, QueryCtx } from "../../builders.ts";
import type { JobSpec } from "../../validators.ts";
import { firstOf } from "../load.ts";
import { present } from "../refuse.ts";

/** What becomes of one job of a submission. `earlier`: a job that is there; `twin`: one before it in the same call. */
export type Resolution =
  | { readonly kind: "new" }
  | { readonly kind: "earlier"; readonly jobId: Id<"jobs"> }
  | { readonly kind: "twin"; readonly at: number }
  | { readonly kind: "conflict"; readonly idempotencyKey: string };

type Earlier = Pick<Doc<"jobs">, "_id" | "fingerprint">;

/** The jobs that idempotency keys made before: a point read each, all at once. */
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

/** In the order of the jobs. A key without fingerprint, such as a purged job's, stands for whatever is asked. */
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
    return known === undefined ? { kind: "twin", at: at ?? index } : { kind: "earlier", jobId: known._id };
  });
}

/** The ids that a submission answers, in its order. `inserted`: the new jobs', by their place in the call. */
export function idsOf(fates: readonly Resolution[], inserted: ReadonlyMap<number, Id<"jobs">>): Id<"jobs">[] {
  return fates.map((fate, index) => {
    if (fate.kind === "earlier") return fate.jobId;
    return present(inserted.get(fate.kind === "twin" ? fate.at : index), "inserted job");
  });
}
