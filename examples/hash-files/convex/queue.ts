import { Queue, type QueueComponent } from "@gleaner/queue";
import { componentsGeneric } from "convex/server";

// `components` of _generated/api.js, where code generation has run.
const components = componentsGeneric() as unknown as { readonly queue: QueueComponent };

export const queue = new Queue(components.queue, {
  kinds: { hash: { maxFailures: 2 } },
});

/** This app has one tenant. */
export const scope = "everybody";
