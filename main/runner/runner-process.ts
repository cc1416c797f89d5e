import { assertNever } from "../../app/assert-never.ts";
import type { ModelFile, ToRunner } from "../../app/contract/runner.ts";
import { parseToRunner } from "../supervisor/messages.ts";
import { Inference } from "./inference.ts";
import { lookForCudaIn } from "./load/cuda-packages.ts";
import { findParentPort, type ParentPort } from "./process/parent-port.ts";
import { lowerProcess } from "./process/priority.ts";
import { TextOutlet } from "./text-throttle.ts";

/** How often a run without news says that it is alive: by an empty text. */
const aliveEveryMs = 2_000;

function serve(port: ParentPort): void {
  const inference = new Inference();
  const running = new Map<string, AbortController>();

  async function run(message: Extract<ToRunner, { type: "run" }>): Promise<void> {
    const { attemptId } = message;
    if (running.has(attemptId)) return;
    const abort = new AbortController();
    running.set(attemptId, abort);
    const alive = setInterval(() => port.send({ type: "text", attemptId, text: "" }), aliveEveryMs);
    const texts = new TextOutlet((text) => port.send({ type: "text", attemptId, text }));
    const outcome = await inference.run(message, abort.signal, {
      loaded: (report) => port.send({ type: "loaded", attemptId, ...report }),
      text: (text) => texts.push(text),
      measured: (speed) => port.send({ type: "measured", attemptId, ...speed }),
    });
    clearInterval(alive);
    texts.end();
    running.delete(attemptId);
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

  async function inspect(model: ModelFile): Promise<void> {
    const figures = await inference.inspect(model);
    port.send({ type: "inspected", sha256: model.sha256, figures });
  }

  port.onMessage((raw) => {
    const message = parseToRunner(raw);
    if (message === null) return;
    switch (message.type) {
      case "run":
        return void run(message);
      case "abort":
        running.get(message.attemptId)?.abort();
        return;
      case "limit":
        inference.limit(message);
        return;
      case "inspect":
        return void inspect(message.model);
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
  lowerProcess();
  lookForCudaIn(process.env["GLEANER_CUDA"]);
  serve(port);
}
