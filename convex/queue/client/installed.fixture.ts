import crons from "@convex-dev/crons/test";
import { convexTest } from "convex-test";
import { anyApi, componentsGeneric, defineSchema, type ApiFromModules } from "convex/server";
import type { QueueComponent } from "../component.ts";
import schema from "../schema.ts";
import { Queue, type QueueOptions } from "./queue.ts";
import { workerFunctions } from "./workerFunctions.ts";

const components = componentsGeneric() as unknown as { readonly queue: QueueComponent };

const queueModules = {
  ...import.meta.glob(["../**/*.ts", "!../**/*.test.ts", "!../**/*.fixture.ts"]),
  // Its folder is how convex-test finds where the modules are.
  "../_generated/api.ts": () => Promise.resolve({}),
};

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
  t.registerComponent("queue", schema, queueModules);
  crons.register(t, "queue/crons");
  const { work } = anyApi as unknown as ApiFromModules<{ work: typeof functions }>;
  return { t, queue, work };
}

export const scope = "acme";
