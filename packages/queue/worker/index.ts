/** The public face of the package for a worker's program. */
export { BackOff, type BackOffDelay, doubling, oneToSixtySeconds } from "./back-off.ts";
export type { Handler, JobContext } from "./handler.ts";
export { JobFailure, ReleaseJob } from "./job-failure.ts";
export { errorName, type Log, type LogFields, type LogLevel, silentLog } from "./log.ts";
export { parsing } from "./parsing.ts";
export { functionsAt, type WorkerFunctions } from "./protocol.ts";
export {
  type Connection,
  followConnection,
  notConnected,
  refusalOf,
  type Unsubscribe,
  UnknownWorkerError,
  type WorkerClient,
} from "./queue-client.ts";
export type { WorkerTimes } from "./times.ts";
export { Worker } from "./worker.ts";
export type { Abilities, Capacity, WorkerEvent, WorkerOptions } from "./worker-options.ts";
