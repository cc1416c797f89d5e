/**
 * The status of a job in the queue. `waiting`: for its start time, for other jobs, or for its turn. `ready`: can be
 * claimed. `prefetched`: a device holds it and has not started. The last four are final.
 */
export type JobStatus =
  "waiting" | "ready" | "prefetched" | "running" | "succeeded" | "failed" | "canceled" | "expired";

/** The status of one device's attempt at a job. Only `failed` and `lost` count against the job's retries. */
export type AttemptStatus =
  "prefetched" | "running" | "succeeded" | "failed" | "released" | "stolen" | "lost" | "canceled" | "expired";

/** The status that a requester sees. Why a job has not started yet does not concern them. */
export type RequestStatus = "queued" | "running" | "succeeded" | "failed" | "canceled" | "expired";

export function requestStatusOf(status: JobStatus): RequestStatus {
  switch (status) {
    case "waiting":
    case "ready":
    case "prefetched":
      return "queued";
    default:
      return status;
  }
}

export function isFinal(status: JobStatus | RequestStatus): boolean {
  return status === "succeeded" || status === "failed" || status === "canceled" || status === "expired";
}
