import { Queue, type QueueComponent } from "@gleaner/queue";
import { componentsGeneric } from "convex/server";

const components = componentsGeneric() as unknown as { readonly queue: QueueComponent };

export const queue = new Queue(components.queue);

/** Everything belongs to one tenant. */
export const scope = "benchmark";
/** The kind of every job. */
export const kind = "bench";
