export const finalStatuses = ["succeeded", "failed", "canceled", "expired"] as const;
export type FinalStatus = (typeof finalStatuses)[number];

/**
 * The status of a job in the queue. `waiting`: for its start time, for other jobs, or for its turn. `ready`: can be
 * claimed. `prefetched`: a device holds it and has not started.
 */
export type JobStatus = "waiting" | "ready" | "prefetched" | "running" | FinalStatus;

/** The statuses of one device's attempt at a job, in the order in which people choose one. */
export const attemptStatuses = [
  "succeeded",
  "failed",
  "released",
  "lost",
  "outrun",
  "stolen",
  "canceled",
  "expired",
  "running",
  "prefetched",
] as const;
/** Only `failed` and `lost` count against the job's retries. */
export type AttemptStatus = (typeof attemptStatuses)[number];

/** The status that a requester sees. Why a job has not started yet does not concern them. */
export const requestStatuses = ["queued", "running", ...finalStatuses] as const;
type RequestStatus = (typeof requestStatuses)[number];

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

export function isFinal(status: JobStatus | RequestStatus): status is FinalStatus {
  return finalStatuses.some((final) => final === status);
}
