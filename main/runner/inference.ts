import type { LlamaContextSequence, Token } from "node-llama-cpp";
import type { ModelFile } from "../../app/contract/runner.ts";
import type { ChatRequest, ChatResult, FinishReason, JobError } from "../../app/jobs/chat.ts";
import { limits } from "../../app/jobs/limits.ts";
import { contextExceeded, internalError } from "./job-errors.ts";
import { type LoadedModel, ModelSlot } from "./loaded-model.ts";
import { PrefillSlices } from "./prefill-slices.ts";
import { renderPrompt } from "./prompt.ts";
import { StopMatcher } from "./stop-matcher.ts";
import { TokenText } from "./token-text.ts";

export type InferenceJob = {
  readonly model: ModelFile;
  readonly request: ChatRequest;
  readonly threads: number;
};

export type InferenceEvents = {
  readonly loaded: (loadMs: number) => void;
  readonly text: (text: string) => void;
};

export type InferenceOutcome =
  | { readonly kind: "done"; readonly result: ChatResult }
  | { readonly kind: "failed"; readonly error: JobError }
  | { readonly kind: "aborted" };

/** At most four bytes a character: an answer cut here is one that the backend still takes. */
const longestAnswerChars = limits.resultBytes / 4 - 1_024;

/** Answers chat requests with llama.cpp, one at a time, and keeps the last model in memory. */
export class Inference {
  readonly #slot = new ModelSlot();
  readonly #slices = new PrefillSlices();

  /** Never throws. After an abort it ends within a slice of the prompt, or a token of the answer. */
  async run(job: InferenceJob, signal: AbortSignal, events: InferenceEvents): Promise<InferenceOutcome> {
    const load = await this.#slot.load(job.model, job.threads, signal);
    if (load.kind !== "loaded") return load;
    events.loaded(load.loadMs);
    try {
      return await this.#answer(load.loaded, job.request, signal, events);
    } catch (error) {
      if (signal.aborted) return { kind: "aborted" };
      return { kind: "failed", error: internalError("answering", error) };
    }
  }

  async unload(): Promise<void> {
    await this.#slot.unload();
  }

  async #answer(
    loaded: LoadedModel,
    request: ChatRequest,
    signal: AbortSignal,
    events: InferenceEvents,
  ): Promise<InferenceOutcome> {
    const { sequence, model } = loaded;
    const prompt = renderPrompt(loaded, request.messages);
    const room = sequence.contextSize - prompt.tokens.length;
    const last = prompt.tokens.at(-1);
    if (room < 1 || last === undefined) {
      return { kind: "failed", error: contextExceeded(prompt.tokens.length, sequence.contextSize) };
    }

    const startedAt = performance.now();
    // The same prompt gives the same answer whatever ran before it: nothing of another job is reused.
    await sequence.clearHistory();
    if (!(await this.#prefill(sequence, prompt.tokens.slice(0, -1), signal))) return { kind: "aborted" };
    const prefilledAt = performance.now();

    const matcher = new StopMatcher([...request.stop, ...prompt.stopTexts]);
    const decoder = new TokenText<Token>(
      (tokens, before) => model.detokenize(tokens, false, before),
      prompt.tokens,
    );
    let text = "";
    const emit = (piece: string): void => {
      if (piece === "") return;
      text += piece;
      events.text(piece);
    };
    const budget = Math.min(request.maxTokens, room);
    let completionTokens = 0;
    let finishReason: FinishReason = "stop";
    let stopped = false;
    for await (const token of sequence.evaluate([last], {
      temperature: request.temperature,
      topP: request.topP,
      topK: 0,
      seed: Math.abs(Math.trunc(request.seed)) % 2 ** 32,
    })) {
      if (signal.aborted) return { kind: "aborted" };
      if (prompt.stopTokens.has(token)) break;
      completionTokens += 1;
      const piece = matcher.push(decoder.push(token));
      emit(piece.text);
      if (piece.stopped) {
        stopped = true;
        break;
      }
      if (completionTokens >= budget || text.length >= longestAnswerChars) {
        finishReason = "length";
        break;
      }
    }
    if (signal.aborted) return { kind: "aborted" };
    if (!stopped) {
      const rest = matcher.push(decoder.flush());
      emit(rest.text);
      if (rest.stopped) finishReason = "stop";
      else emit(matcher.flush());
    }
    return {
      kind: "done",
      result: {
        text,
        finishReason,
        usage: { promptTokens: prompt.tokens.length, completionTokens },
        timing: {
          prefillMs: Math.round(prefilledAt - startedAt),
          generateMs: Math.round(performance.now() - prefilledAt),
        },
      },
    };
  }

  /** False when it was aborted. */
  async #prefill(
    sequence: LlamaContextSequence,
    tokens: readonly Token[],
    signal: AbortSignal,
  ): Promise<boolean> {
    for (let at = 0; at < tokens.length;) {
      if (signal.aborted) return false;
      const slice = tokens.slice(at, at + this.#slices.size);
      const sliceStartedAt = performance.now();
      await sequence.evaluateWithoutGeneratingNewTokens(slice);
      this.#slices.measured(slice.length, performance.now() - sliceStartedAt);
      at += slice.length;
    }
    return !signal.aborted;
  }
}
