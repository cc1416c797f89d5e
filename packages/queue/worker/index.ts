/** The public face of the package for a worker's program. */
export { BackOff, type BackOffDelay, doubling, oneToSixtySeconds } from "./back-off.ts";
export type { Unsubscribe, WorkerClient } from "./calls.ts";
export { type Connection, followConnection, notConnected } from "./connection.ts";
export type { Handler, JobContext } from "./handler.ts";
export { JobFailure, JobLetGo } from "./job-failure.ts";
export type { Log, LogFields, LogLevel } from "./log.ts";
export { parsing } from "./parsing.ts";
export { functionsAt, type WorkerFunctions } from "./protocol.ts";
export { refusalOf, UnknownWorkerError } from "./refusal.ts";
export type { WorkerTimes } from "./times.ts";
export { Worker } from "./worker.ts";
export type { Abilities, Capacity, WorkerEvent, WorkerOptions } from "./worker-options.ts";
