import { setTimeout as sleep } from "node:timers/promises";
import type { Call, Handler, Side } from "../side.ts";
import { CountingClient } from "./counting-client.ts";
import { type CallCounts, type FromFleet, noCalls, sharedNow, type ToFleet } from "./messages.ts";
import { sides } from "./sides.ts";
import { token } from "./tokens.ts";

/** Workers of one side in a separate process, so that they delay neither the submitter nor the clock. */

const maxFailures = 5;

const clients: CountingClient[] = [];
const failures: string[] = [];
let calls: CallCounts = noCalls;

function tell(message: FromFleet): void {
  process.send?.(message);
}

function count(side: Side, call: Call): void {
  const kind = side.kindOf(call);
  calls = { ...calls, [kind]: calls[kind] + 1 };
  if (kind === "completion") tell({ kind: "completed", at: sharedNow() });
  if (kind === "failure" && failures.length < maxFailures) failures.push(`${call.name}: ${call.error ?? ""}`);
}

async function start({ side: name, url, keys, spreadMs }: ToFleet & { kind: "start" }): Promise<void> {
  const side = await sides[name]();
  const handler = handlerOf((number) => tell({ kind: "started", number, at: sharedNow() }));
  for (const key of keys) {
    const client = new CountingClient(url, (call) => count(side, call));
    clients.push(client);
    side.startWorker(client, key, handler);
    await sleep(spreadMs / keys.length);
  }
  tell({ kind: "begun" });
}

/** The jobs' handler for both sides. Calls `onStart` first. */
function handlerOf(onStart: (number: number) => void): Handler {
  return async (payload, write) => {
    onStart(payload.number);
    if (payload.kind === "sleep") {
      if (payload.ms > 0) await sleep(payload.ms);
      return;
    }
    const began = performance.now();
    for (let n = 0; n < payload.tokens; n += 1) {
      const due = began + (n * 1000) / payload.perSecond - performance.now();
      if (due > 0) await sleep(due);
      await write(token(n));
    }
  };
}

function failed(error: unknown): void {
  console.error(error);
  process.exit(1);
}

process.on("disconnect", () => process.exit());
process.on("message", (message: ToFleet) => {
  switch (message.kind) {
    case "start":
      start(message).catch(failed);
      break;
    case "ask":
      tell({ kind: "state", quiet: clients.every(({ isQuiet }) => isQuiet), calls, failures });
      break;
  }
});
