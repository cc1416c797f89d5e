import { jobTimes, limits } from "../jobs/limits.ts";

/** Bounds of files and batches. Bytes are those of the file. */
export const batchLimits = {
  /** A call of Convex's HTTP actions carries at most 20 MiB, in either direction. */
  fileBytes: 16 * 1024 * 1024,
  /** Of a file that comes in parts, each within `fileBytes`. */
  uploadBytes: 512 * 1024 * 1024,
  uploadParts: 1_000,
  /** Of a key, at a time. */
  openUploads: 10,
  /** Of all files that an API key has at a time. */
  filesOfKey: 1_000,
  bytesOfKey: 2 * 1024 * 1024 * 1024,
  fileNameChars: 200,
  /** As many as the queue's batch takes jobs. */
  lines: 50_000,
  /** A request's body and the fields around it. */
  lineBytes: limits.bodyBytes + 8 * 1024,
  lineDepth: limits.bodyDepth + 1,
  customIdChars: 200,
  /** Mistakes of a file that are named. */
  namedMistakes: 20,
  /** Lines with wrong answers that are named. */
  namedWrongLines: 100,
  /** Jobs and bytes that are submitted in one transaction. A line is never cut. */
  pieceJobs: 500,
  pieceBytes: 2 * 1024 * 1024,
  metadataFields: 16,
  metadataKeyChars: 64,
  metadataValueChars: 512,
  leastWindowMs: 3_600_000,
  mostWindowMs: jobTimes.mostMs,
} as const;

/** How long files are kept by default, and within which bounds a requester chooses: seconds, as in OpenAI's API. */
export const fileTimes = { leastSeconds: 3_600, mostSeconds: 30 * 86_400 } as const;

/** The calls that a batch can have lines of, as its `endpoint` names them, and the kinds of their jobs. */
export const batchEndpoints = {
  "/v1/chat/completions": "chat",
  "/v1/responses": "chat",
  "/v1/messages": "chat",
  "/v1/completions": "completion",
  "/v1/embeddings": "embedding",
} as const;
export type BatchEndpoint = keyof typeof batchEndpoints;
export const batchEndpointNames = Object.keys(batchEndpoints) as [BatchEndpoint, ...BatchEndpoint[]];

export const batchStatuses = [
  "validating",
  "failed",
  "in_progress",
  "cancelling",
  "completed",
  "expired",
  "cancelled",
] as const;
/** OpenAI's statuses, in its spelling. */
export type BatchStatus = (typeof batchStatuses)[number];
