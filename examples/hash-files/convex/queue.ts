import { Queue, type QueueComponent } from "@gleaner/queue";
import { componentsGeneric } from "convex/server";

// Without a deployment Convex does not generate the type of `components`.
const components = componentsGeneric() as unknown as { readonly queue: QueueComponent };

export const queue = new Queue(components.queue, {
  kinds: { hash: { maxFailures: 2 } },
});

/** This app has one tenant. */
export const scope = "everybody";
