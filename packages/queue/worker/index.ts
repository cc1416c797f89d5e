/** The public face of the package for a worker's program. */
export { BackOff, type BackOffDelay, doubling, oneToSixtySeconds } from "./contract/back-off.ts";
export type { Handler, JobContext } from "./contract/handler.ts";
export { JobFailure, ReleaseJob } from "./job-failure.ts";
export { errorName, type Log, type LogFields, type LogLevel, silentLog } from "./contract/log.ts";
export { parsing } from "./parsing.ts";
export { maxHeld } from "./machine/capacity.ts";
export { functionsAt, type WorkerFunctions } from "./contract/protocol.ts";
export {
  type Connection,
  followConnection,
  notConnected,
  refusalOf,
  type Unsubscribe,
  UnknownWorkerError,
  type WorkerClient,
} from "./contract/queue-client.ts";
export type { WorkerTimes } from "./contract/times.ts";
export { Worker } from "./worker.ts";
export type { Abilities, Capacity, WorkerEvent, WorkerOptions } from "./contract/worker-options.ts";
