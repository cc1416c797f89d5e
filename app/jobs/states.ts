/**
 * Where a job stands, as the queue has it. `waiting`: for its time, for other jobs, or for its turn. `ready`: can be
 * claimed. `prefetched`: a device holds it and has not begun. The last four are final.
 */
export type JobStatus =
  "waiting" | "ready" | "prefetched" | "running" | "succeeded" | "failed" | "canceled" | "expired";

/** Where one device's try at a job stands. Only `failed` and `lost` count against the job's retries. */
export type AttemptStatus =
  "prefetched" | "running" | "succeeded" | "failed" | "released" | "stolen" | "lost" | "canceled" | "expired";

/** How a job stands for its requester, whom it does not concern why it is not begun. */
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
