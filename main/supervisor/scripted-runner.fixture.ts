/**
 * A runner that does what a job's prompt says, word by word: `turn` (its model is in memory), `load`, a step of the
 * protocol, `write`, `spin` (an endless loop), `crash`, `kill` (as from outside), `deaf` (to aborts from now on), `later` (its turn comes later), `nonsense` (messages that break the protocol), `flood`, `end`.
 */
import { requestSteps } from "../../app/contract/runner.ts";

type Run = {
  readonly type: "run";
  readonly job: {
    readonly attemptId: string;
    readonly model: { readonly modelId: string; readonly sha256: string };
    readonly work: { readonly request: { readonly messages: readonly { readonly content: string }[] } };
  };
};

const send = (message: object): void => void process.send?.(message);
let deaf = false;
const alive = setInterval(() => send({ type: "text", attemptId: "nobody", text: "" }), 20);

const result = {
  text: "x",
  finishReason: "stop",
  usage: { promptTokens: 1, completionTokens: 1 },
  timing: { prefillMs: 1, generateMs: 1 },
};

function act(
  word: string,
  { attemptId, model: { modelId, sha256 } }: Pick<Run["job"], "attemptId" | "model">,
): void {
  const report = { modelId, loadMs: 1, backend: "cpu", gpuLayers: 0, contextTokens: 64, sequences: 4 };
  if (requestSteps.some((step) => step === word)) send({ type: "step", attemptId, step: word });
  else if (word === "turn") send({ type: "loaded", attemptId, report: { ...report, passedOver: [] } });
  else if (word === "load") send({ type: "loading", load: { sha256, backend: "cpu" } });
  else if (word === "write") send({ type: "text", attemptId, text: "x" });
  else if (word === "spin") for (;;);
  else if (word === "crash") process.kill(process.pid, "SIGSEGV");
  else if (word === "kill") process.kill(process.pid, "SIGKILL");
  else if (word === "deaf") deaf = true;
  else if (word === "later") setTimeout(() => act("turn", { attemptId, model: { modelId, sha256 } }), 300);
  else if (word === "nonsense") {
    for (let each = 0; each < 20; each += 1) send({ type: "text", attemptId, text: each });
    send({
      type: "ended",
      attemptId,
      outcome: { kind: "done", result: { ...result, usage: { promptTokens: -1 } } },
    });
  } else if (word === "flood") {
    clearInterval(alive);
    setInterval(() => {
      for (let each = 0; each < 5_000; each += 1) send({ type: "text", attemptId, text: "" });
    }, 10);
  } else if (word === "end") send({ type: "ended", attemptId, outcome: { kind: "done", result } });
}

process.on("message", (message: Run | { readonly type: "abort" | "limit"; readonly attemptId: string }) => {
  if (message.type === "abort") {
    if (deaf) return;
    const { attemptId } = message;
    send({ type: "ended", attemptId, outcome: { kind: "aborted" } });
  } else if (message.type === "run") {
    const [{ content } = { content: "" }] = message.job.work.request.messages;
    for (const word of content.split(" ")) act(word, message.job);
  }
});
send({ type: "started", confinement: [] });
