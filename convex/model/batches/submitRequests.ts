import { ConvexError } from "convex/values";
import { assertNever } from "../../../app/assert-never.ts";
import type { Doc } from "../../_generated/dataModel.js";
import type { MutationCtx } from "../../_generated/server.js";
import { queue } from "../queue.ts";
import { present, type Refusal } from "../refuse.ts";
import { drainingRetryMs, keptLanes, placeOrder, type PreparedJob } from "../requests/submit.ts";

type BatchPlace = NonNullable<Doc<"orders">["batchLine"]>;

/** The prepared jobs of a request, and its place in a batch. */
export type BatchRequest = {
  readonly jobs: readonly PreparedJob[];
  /** For each job, the index of its choice or of its first vector in the answer. */
  readonly indexes: readonly number[];
  readonly batchLine: BatchPlace;
};

/** `refused`: by the queue, each by itself. `later`: the first request that has to wait, and for how long; null if none does. */
export type SubmittedRequests<Request> = {
  readonly placed: readonly Request[];
  readonly refused: readonly { readonly request: Request; readonly refusal: Refusal }[];
  readonly later: { readonly from: Request; readonly retryAfterMs: number } | null;
};

type ToBatch<Request> = {
  readonly requests: readonly Request[];
  /** The queue's batch. */
  readonly batchId: string;
  /** Whether the batch itself requires something of devices. */
  readonly hasRequirements: boolean;
  /** Notes the jobs of a request. Returns the place of each of them. */
  readonly begin: (place: BatchPlace, jobIds: readonly string[]) => Promise<BatchPlace>;
};

/**
 * Submits requests of a batch that were prepared and checked, in their order, with their reservations, which the caller holds. The
 * queue takes or refuses the jobs of a call together. So a refused call is repeated in halves, until only the requests are refused
 * that have to be: each with all its jobs.
 */
export async function submitRequests<Request extends BatchRequest>(
  ctx: MutationCtx,
  key: Doc<"apiKeys">,
  { requests, batchId, hasRequirements, begin }: ToBatch<Request>,
  now: number,
): Promise<SubmittedRequests<Request>> {
  const placed: Request[] = [];
  const refused: { readonly request: Request; readonly refusal: Refusal }[] = [];
  const left: (readonly Request[])[] = [requests];
  for (let calls = left.shift(); calls !== undefined; calls = left.shift()) {
    const [first] = calls;
    if (first === undefined) continue;
    const spareLanes = hasRequirements ? keptLanes : 0;
    const outcome = await trySubmit(ctx, key, calls, { batchId, spareLanes });
    switch (outcome.kind) {
      case "submitted": {
        const ids = [...outcome.jobIds];
        for (const { jobs, indexes, batchLine } of calls) {
          const jobIds = ids.splice(0, jobs.length);
          const place = await begin(batchLine, jobIds);
          for (const [at, { order }] of jobs.entries()) {
            const jobId = present(jobIds[at] ?? null, "job of a batch");
            const index = jobs.length === 1 ? undefined : indexes[at];
            const ofJob = index === undefined ? place : { ...place, index };
            await placeOrder(ctx, key, { ...order, jobId, batchLine: ofJob }, now);
          }
        }
        placed.push(...calls);
        break;
      }
      case "refused": {
        const middle = Math.floor(calls.length / 2);
        if (middle === 0) refused.push({ request: first, refusal: outcome.refusal });
        else left.unshift(calls.slice(0, middle), calls.slice(middle));
        break;
      }
      case "full":
      case "busy":
        return { placed, refused, later: { from: first, retryAfterMs: outcome.retryAfterMs } };
      case "draining":
        return { placed, refused, later: { from: first, retryAfterMs: drainingRetryMs } };
      case "conflict":
        throw new Error("a job of a batch has an idempotency key");
      default:
        return assertNever(outcome);
    }
  }
  return { placed, refused, later: null };
}

/** A lane is deleted once it had no new job for a day. */
const lanesRetryMs = 5 * 60_000;

/** A refusal of the queue undoes what the queue has written, and nothing else. */
async function trySubmit(
  ctx: MutationCtx,
  { organizationId }: Doc<"apiKeys">,
  requests: readonly BatchRequest[],
  options: { readonly batchId: string; readonly spareLanes: number },
): Promise<
  Awaited<ReturnType<typeof queue.submitMany>> | { readonly kind: "refused"; readonly refusal: Refusal }
> {
  const specs = requests.flatMap(({ jobs }) => jobs.map(({ job }) => job));
  try {
    return await queue.submitMany(ctx, organizationId, specs, options);
  } catch (thrown) {
    if (!(thrown instanceof ConvexError)) throw thrown;
    const refusal = thrown.data as Refusal;
    // The key for texts is missing, which says nothing about the jobs.
    if (refusal.code === "draining") return { kind: "draining" };
    // The jobs are not wrong: the batch waits until other lanes are deleted.
    if (refusal.code === "too_many_lanes") return { kind: "full", retryAfterMs: lanesRetryMs };
    return { kind: "refused", refusal };
  }
}
