import { setTimeout as sleep } from "node:timers/promises";
import { functionsAt, Worker } from "@gleaner/queue/worker";
import { ConvexClient } from "convex/browser";
import { sharedNow } from "../fleet/messages.ts";
import { kind, module } from "../ours/call-kinds.ts";
import type { PacedJob } from "../side.ts";
import type { FromPacedFleet, ToPacedFleet } from "./messages.ts";
import type { WorkerSpeed } from "./trace.ts";

/** Workers of different speeds in a separate process, so that they do not delay the clock. */

let freezesNext = false;

function tell(message: FromPacedFleet): void {
  process.send?.(message);
}

/** Takes as long as this worker needs for the job. A frozen job takes until it is taken away. */
async function run({ number, tokens }: PacedJob, speed: WorkerSpeed, signal: AbortSignal): Promise<void> {
  const frozen = freezesNext;
  freezesNext = false;
  const ms = frozen ? 2 ** 31 - 1 : (1_000 * tokens) / speed.output;
  await sleep(ms, undefined, { signal });
  tell({ kind: "ended", number, at: sharedNow() });
}

function start({ url, workers }: ToPacedFleet & { kind: "start" }): void {
  for (const { key, speed } of workers) {
    const client = new ConvexClient(url, { logger: false, unsavedChangesWarning: false });
    const worker = new Worker(client, {
      key,
      functions: functionsAt(module),
      capabilities: {
        speeds: [{ of: kind, inputPerSecond: speed.input, outputPerSecond: speed.output }],
      },
      handlers: {
        [kind]: async (payload, { signal }) => {
          await run(payload as PacedJob, speed, signal);
          return null;
        },
      },
    });
    worker.start();
  }
  tell({ kind: "begun" });
}

process.on("disconnect", () => process.exit());
process.on("message", (message: ToPacedFleet) => {
  switch (message.kind) {
    case "start":
      start(message);
      break;
    case "freeze":
      freezesNext = true;
      tell({ kind: "freezing" });
      break;
  }
});
