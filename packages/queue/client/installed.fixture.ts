import { anyApi, type ApiFromModules, componentsGeneric, defineSchema } from "convex/server";
import { convexTest } from "convex-test";
import type { QueueComponent } from "../component/component.ts";
import { register } from "../test.ts";
import { Queue, type QueueOptions } from "./queue.ts";
import { workerFunctions } from "./workerFunctions.ts";

const components = componentsGeneric() as unknown as { readonly queue: QueueComponent };

/**
 * An app that has installed the queue, and nothing else: its functions are what a test passes to `t.mutation` and `t.query`,
 * and `work`, which its workers call with their keys.
 */
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
