import { assertNever } from "../../app/assert-never.ts";
import type { ToRunner } from "../../app/contract/runner.ts";
import { Inference } from "./inference.ts";
import { parseToRunner } from "./messages.ts";
import { findParentPort, type ParentPort } from "./parent-port.ts";
import { lowerPriority } from "./priority.ts";

/** How often a run without news says that it is alive: by an empty text. */
const aliveEveryMs = 2_000;

function serve(port: ParentPort): void {
  const inference = new Inference();
  let current: { readonly attemptId: string; readonly abort: AbortController } | null = null;

  async function run(message: Extract<ToRunner, { type: "run" }>): Promise<void> {
    const { attemptId } = message;
    if (current !== null) {
      const error = { code: "internal_error", message: "The runner is busy.", retryable: true } as const;
      port.send({ type: "failed", attemptId, error });
      return;
    }
    const abort = new AbortController();
    current = { attemptId, abort };
    const alive = setInterval(() => port.send({ type: "text", attemptId, text: "" }), aliveEveryMs);
    const outcome = await inference.run(message, abort.signal, {
      loaded: (loadMs) => port.send({ type: "loaded", modelId: message.model.modelId, loadMs }),
      text: (text) => port.send({ type: "text", attemptId, text }),
    });
    clearInterval(alive);
    current = null;
    switch (outcome.kind) {
      case "done": {
        port.send({ type: "done", attemptId, result: outcome.result });
        return;
      }
      case "failed": {
        port.send({ type: "failed", attemptId, error: outcome.error });
        return;
      }
      case "aborted": {
        port.send({ type: "aborted", attemptId });
        return;
      }
      default:
        return assertNever(outcome);
    }
  }

  port.onMessage((raw) => {
    const message = parseToRunner(raw);
    if (message === null) return;
    switch (message.type) {
      case "run":
        return void run(message);
      case "abort":
        if (current?.attemptId === message.attemptId) current.abort.abort();
        return;
      case "unload":
        // Only between jobs: the donor aborts first.
        if (current === null) void inference.unload().then(() => port.send({ type: "unloaded" }));
        return;
      default:
        return assertNever(message);
    }
  });
  // Whoever started us is gone, perhaps killed: at once, since native threads would outlast a polite exit.
  port.onClosed(() => process.kill(process.pid, "SIGKILL"));
  port.send({ type: "started" });
}

const port = findParentPort();
if (port === null) {
  process.stderr.write("This is Gleaner's runner; the donor program starts it.\n");
  process.exitCode = 64;
} else {
  lowerPriority();
  serve(port);
}
