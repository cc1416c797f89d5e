export type { BatchAnswer } from "./http/answers.ts";
export type { Batches, BatchLine, BatchOptions, Page } from "./http/batches.ts";
export { GleanerError } from "./http/errors.ts";
export type { Content } from "./http/files.ts";
export {
  type AnswerOf,
  type Call,
  Gleaner,
  type GleanerOptions,
  type Opinion,
  type Rating,
  type RatingReason,
  type RequestOf,
  type SubmitOptions,
  type Votes,
} from "./gleaner.ts";
export type { Batch, BatchEndpoint, BatchEstimate, Job, JobRating, JobStatus } from "./http/objects.ts";
export type { Requirements } from "./http/requests.ts";
export type { JobUpdate } from "./watch.ts";
