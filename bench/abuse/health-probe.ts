import { setTimeout as sleep } from "node:timers/promises";
import { parentPort, workerData } from "node:worker_threads";

/**
 * A thread that asks an address again and again, and posts each answer's milliseconds. The thread of the hostile calls is
 * too busy to measure them.
 */
const { address, everyMs } = workerData as { readonly address: string; readonly everyMs: number };
for (;;) {
  const start = performance.now();
  const response = await fetch(address);
  await response.arrayBuffer();
  const tookMs = performance.now() - start;
  parentPort?.postMessage(tookMs);
  await sleep(Math.max(0, everyMs - tookMs));
}
