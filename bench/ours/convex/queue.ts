import { componentsGeneric } from "convex/server";
import { Queue } from "../../../convex/queue/client/queue.ts";
import type { QueueComponent } from "../../../convex/queue/component.ts";

const components = componentsGeneric() as unknown as { readonly queue: QueueComponent };

export const queue = new Queue(components.queue);

/** Everything belongs to one tenant. */
export const SCOPE = "benchmark";
/** Of every job. */
export const KIND = "bench";
