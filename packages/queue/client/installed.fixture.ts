import { anyApi, type ApiFromModules, componentsGeneric, defineSchema } from "convex/server";
import { convexTest } from "convex-test";
import type { QueueComponent } from "../component/component.ts";
import { register } from "../test.ts";
import { Queue, type QueueOptions } from "./queue.ts";
import { workerFunctions } from "./worker-functions.ts";

const components = componentsGeneric() as unknown as { readonly queue: QueueComponent };

/** An app with nothing but the queue. Tests pass functions to `t.mutation` and `t.query`; workers call `work`. */
export function installQueue(options: QueueOptions = {}) {
  const queue = new Queue(components.queue, options);
  const functions = workerFunctions(queue);
  const t = convexTest(defineSchema({}), {
    "./_generated/api.ts": () => Promise.resolve({}),
    "./work.ts": () => Promise.resolve(functions),
  });
  register(t);
  const { work } = anyApi as unknown as ApiFromModules<{ work: typeof functions }>;
  return { t, queue, work };
}

export const scope = "acme";
