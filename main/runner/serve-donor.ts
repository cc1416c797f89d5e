import { assertNever } from "../../app/assert-never.ts";
import type { Confinement } from "../../app/contract/confinement.ts";
import { internalError } from "../../app/contract/job-errors.ts";
import {
  type AnswerPiece,
  attemptOfBrokenRun,
  parseToRunner,
  type RequestStep,
  type RunnerJob,
} from "../../app/contract/runner.ts";
import { cardCounter } from "./card-energy.ts";
import { Inference } from "./inference.ts";
import type { ParentPort } from "./process/parent-port.ts";
import { TextThrottle } from "./text-throttle.ts";

/** Each job sends an empty text this often, which shows the donor that the process is alive. */
const heartbeatMs = 2_000;

/** Reads the donor's messages, runs its jobs, and reports. */
export function serveDonor(port: ParentPort, confinement: Confinement): void {
  const inference = new Inference((load) => port.send({ type: "loading", load }));
  const running = new Map<string, AbortController>();
  const readEnergy = cardCounter();

  async function run(job: RunnerJob): Promise<void> {
    const { attemptId } = job;
    if (running.has(attemptId)) return;
    const abort = new AbortController();
    running.set(attemptId, abort);
    const sendText = ({ text, items, tokens }: AnswerPiece): void =>
      port.send({ type: "text", attemptId, text, ...(items.length === 0 ? {} : { items }), tokens });
    const heartbeat = setInterval(() => sendText({ text: "", items: [], tokens: 0 }), heartbeatMs);
    const texts = new TextThrottle(sendText);
    let at: RequestStep | null = null;
    const outcome = await inference.run(job, abort.signal, {
      loaded: (report) => port.send({ type: "loaded", attemptId, report }),
      text: (text, items) => texts.push(text, items),
      measured: (speed) => port.send({ type: "measured", attemptId, speed }),
      step: (step) => {
        if (step !== at) port.send({ type: "step", attemptId, step });
        at = step;
      },
    });
    clearInterval(heartbeat);
    texts.end();
    running.delete(attemptId);
    port.send({ type: "ended", attemptId, outcome });
  }

  /** Answers a job that breaks the protocol, so that the donor does not wait for its end. */
  function refuse(raw: unknown): void {
    const attemptId = attemptOfBrokenRun(raw);
    if (attemptId === null) return;
    const error = internalError("reading the job", new TypeError());
    port.send({ type: "ended", attemptId, outcome: { kind: "failed", error } });
  }

  port.onMessage((raw) => {
    const message = parseToRunner(raw);
    if (message === null) {
      refuse(raw);
      return;
    }
    switch (message.type) {
      case "run":
        return void run(message.job);
      case "abort":
        running.get(message.attemptId)?.abort();
        return;
      case "limit":
        inference.limit(message);
        return;
      case "inspect": {
        const { sha256 } = message.model;
        return void inference
          .inspect(message.model)
          .then((figures) => port.send({ type: "inspected", sha256, figures }));
      }
      case "readEnergy":
        port.send({ type: "energy", joules: readEnergy() });
        return;
      default:
        return assertNever(message);
    }
  });
  // The donor has ended or was killed. SIGKILL, because native threads would outlast a normal exit.
  port.onClosed(() => process.kill(process.pid, "SIGKILL"));
  port.send({ type: "started", confinement });
}
