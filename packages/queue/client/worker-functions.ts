import { forward } from "../shared/forward.ts";
import { type WorkerModule, workerMutations, workerQueries } from "../shared/work.ts";
import type { Queue } from "./queue.ts";

/**
 * The functions of `@gleaner/queue/work` for a queue that is installed under another name or that hashes keys in its own
 * way. The app lists them: `export const { take, claim, … } = workerFunctions(queue)`.
 */
export function workerFunctions(queue: Queue): WorkerModule {
  const target = { component: queue.component, hashKey: (key: string) => queue.hashKey(key) };
  return forward(workerMutations, workerQueries, target);
}
