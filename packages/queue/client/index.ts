/** The public face of the package for an app's own functions. */
export type { ComponentApi, QueueComponent, StreamPosition, WatchView } from "../component/component.ts";
export type { Settings } from "../component/model/settings.ts";
export { sha256 } from "../shared/forward.ts";
export { isGiven } from "../shared/given.ts";
export { workerMutations } from "../shared/work.ts";
export { Queue, type QueueOptions, type SubmitOptions } from "./queue.ts";
export type { JobInput, MutationRunner, OnDone, OnClaim, OnFinal, QueryRunner } from "./runners.ts";
export { workerFunctions } from "./worker-functions.ts";
