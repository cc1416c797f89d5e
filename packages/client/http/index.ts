/** The client without subscriptions: what needs no WebSocket. */
export { AnswerFile, type BatchAnswer } from "./answers.ts";
export {
  Batches,
  type BatchLine,
  type BatchOptions,
  type EstimateOptions,
  hasEnded,
  type Page,
} from "./batches.ts";
export { GleanerError, unreachable } from "./errors.ts";
export { type Content, partBytes, readFileFrom, uploadFile } from "./files.ts";
export { type CallOptions, Http, type HttpOptions } from "./http.ts";
export {
  type Batch,
  type BatchEndpoint,
  batchEndpoints,
  batchEstimate,
  type BatchEstimate,
  type BatchForecast,
  batchList,
  batchObject,
  batchStatuses,
  errorObject,
  type Job,
  jobList,
  jobObject,
  type JobStatus,
  jobStatuses,
} from "./objects.ts";
