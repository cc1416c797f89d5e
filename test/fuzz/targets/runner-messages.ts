import fc from "fast-check";
import { parseFromRunner, parseToRunner } from "../../../app/contract/runner.ts";
import { parseCacheOwner, parseWork } from "../../../app/jobs/payload/payload.ts";
import { workKinds } from "../../../app/jobs/work.ts";
import { parseReplay } from "../../../app/trust/replay.ts";
import { hostileJson, spoiled } from "../hostile.ts";
import type { Json, Target } from "../target.ts";

const result: Json = {
  text: "yes",
  finishReason: "stop",
  usage: { promptTokens: 3, completionTokens: 1 },
  timing: { prefillMs: 1, generateMs: 1 },
};

const valid: readonly Json[] = [
  { type: "abort", attemptId: "a" },
  { type: "limit", threads: 1, dutyCycle: 1 },
  { type: "text", attemptId: "a", text: "b" },
  { type: "ended", attemptId: "a", outcome: { kind: "done", result } },
  { type: "ended", attemptId: "a", outcome: { kind: "aborted" } },
  { messages: [{ role: "user", content: "x" }], maxTokens: 1, temperature: 0, topP: 1, seed: 0, stop: [] },
  { inputs: ["x"] },
];

/** The parsers of the messages between donor and runner, and of a job's payload. They must not throw. */
export const runnerMessages: Target = {
  name: "runner-messages",
  summary: "messages between the donor and llama.cpp's process, and jobs' payloads",
  open: () =>
    Promise.resolve({
      inputs: fc.oneof(spoiled(fc.constantFrom(...valid)), hostileJson),
      known: valid,
      check: (input) => {
        parseToRunner(input);
        parseFromRunner(input);
        parseCacheOwner(input);
        for (const kind of [...workKinds, "__proto__"]) parseWork(kind, input);
        parseReplay(input);
        return Promise.resolve();
      },
      close: () => Promise.resolve(),
    }),
};
