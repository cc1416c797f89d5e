import type { LlamaModel, Token } from "node-llama-cpp";
import { contextExceeded, jobErrors } from "../../../app/contract/job-errors.ts";
import type { RequestStep, RunOutcome } from "../../../app/contract/runner.ts";
import { askedAgain, checksText, holdsChecks, mostTries } from "../../../app/jobs/answers/answer-checks.ts";
import { packWritten } from "../../../app/jobs/answers/written-tokens.ts";
import {
  callableTools,
  type ChatRequest,
  type ChatResult,
  type FinishReason,
} from "../../../app/jobs/chat.ts";
import type { StreamItem } from "../../../app/jobs/stream-item.ts";
import type { TextWork } from "../../../app/jobs/work.ts";
import type { LoadedModel } from "../load/load-model.ts";
import type { SequenceLoan } from "../load/sequences.ts";
import type { JobPace } from "../process/duty-cycle.ts";
import { type CallsEnd, CallWriter } from "./calls.ts";
import { type Enforced, grammarOf, orTexts } from "./grammars.ts";
import { prefillButLastSlice, type PrefillSlices } from "./prefill.ts";
import { type Prompt, promptOf } from "./prompt.ts";
import { choicesWithin } from "./sampling.ts";
import { CallMatcher, callStarts, type CallSyntax, callSyntax, mustCall } from "./tool-call.ts";
import { type PassageEnd, Writer } from "./writer.ts";

type AnswerDeps = JobPace & {
  readonly loaded: LoadedModel;
  readonly slices: PrefillSlices;
  readonly cacheOwner: string | undefined;
  /** In the queue. All attempts at a job share it. */
  readonly jobId: string;
  /** Takes the next piece of the text, with what belongs to it or follows it. */
  readonly emit: (text: string, items: readonly StreamItem[]) => void;
  /** Called before each step in which this request alone can block the process; with null after it. */
  readonly step: (step: RequestStep | null) => void;
};

/** Reads a prompt and generates its answer, in a sequence of the model's context. Throws what llama.cpp throws. */
export async function answer(work: TextWork, deps: AnswerDeps): Promise<RunOutcome> {
  const { loaded, step } = deps;
  step("prompt");
  const prompt = promptOf(loaded, work);
  if (prompt === null) return { kind: "failed", error: jobErrors.wrongTokens };
  const { contextTokens, wholeContextTokens } = loaded;
  const promptTokens = prompt.tokens.length;
  if (promptTokens === 0 || promptTokens >= wholeContextTokens) {
    return { kind: "failed", error: contextExceeded(promptTokens, wholeContextTokens) };
  }
  // Another device can give the request all that the model has.
  if (Math.min(promptTokens + work.request.maxTokens, wholeContextTokens) > contextTokens) {
    return { kind: "failed", error: jobErrors.contextTooSmall };
  }
  return checksText(work.request)
    ? await checkedAnswer(work, prompt, deps)
    : await writtenAnswer(work, prompt, deps);
}

/** @param tries the answers that were written before. */
async function writtenAnswer(
  work: TextWork,
  prompt: Prompt,
  deps: AnswerDeps,
  tries = 0,
): Promise<RunOutcome> {
  const loan = await deps.loaded.sequences.lend(prompt.tokens, deps.cacheOwner);
  try {
    return await new Answer(work, prompt, loan, deps, tries).write();
  } finally {
    loan.release();
  }
}

/** Writes a text until one holds what no grammar enforces. Nobody reads along, since it may have to be written again. */
async function checkedAnswer(work: TextWork, prompt: Prompt, deps: AnswerDeps): Promise<RunOutcome> {
  const { step, emit } = deps;
  for (let tries = 0; tries < mostTries; tries += 1) {
    const unread = { ...deps, emit: () => undefined };
    const outcome = await writtenAnswer(againAsked(work, tries), prompt, unread, tries);
    if (outcome.kind !== "done" || !("text" in outcome.result)) return outcome;
    step("check");
    const isHeld = holdsChecks(outcome.result, work.request);
    step(null);
    if (isHeld) {
      if (outcome.result.text !== "") emit(outcome.result.text, []);
      return outcome;
    }
  }
  return { kind: "failed", error: jobErrors.schemaNotMet };
}

function againAsked(work: TextWork, tries: number): TextWork {
  return work.kind === "chat"
    ? { kind: work.kind, request: askedAgain(work.request, tries) }
    : { kind: work.kind, request: askedAgain(work.request, tries) };
}

class Answer {
  readonly #work: TextWork;
  readonly #prompt: Prompt;
  readonly #loan: SequenceLoan;
  readonly #deps: AnswerDeps;
  readonly #model: LlamaModel;
  readonly #writer: Writer;
  readonly #tries: number;
  #text = "";
  /** The choices that were emitted: how many, and the length of their tokens. */
  #emitted = { choices: 0, chars: 0 };

  constructor(work: TextWork, prompt: Prompt, loan: SequenceLoan, deps: AnswerDeps, tries: number) {
    const { loaded, signal, pace, clock, step } = deps;
    const { model, contextTokens } = loaded;
    this.#work = work;
    this.#prompt = prompt;
    this.#loan = loan;
    this.#deps = deps;
    this.#tries = tries;
    this.#model = model;
    this.#writer = new Writer({
      model,
      sequence: loan.sequence,
      batches: loaded.batches,
      request: work.request,
      contextTokens,
      signal,
      pace,
      clock,
      step,
    });
  }

  async write(): Promise<RunOutcome> {
    const { loaded, signal, clock, step } = this.#deps;
    const { request } = this.#work;
    if (request.format !== undefined) step("grammar");
    const enforced = request.format === undefined ? null : await grammarOf(loaded.llama, request.format);
    if (request.format !== undefined && enforced === null) {
      return { kind: "failed", error: jobErrors.invalidGrammar };
    }
    step("prefill");
    const startedAt = clock();
    const { cached, sequence } = this.#loan;
    const rest = await prefillButLastSlice(sequence, this.#prompt.tokens.slice(cached), {
      ...this.#deps,
      batches: loaded.batches,
    });
    if (rest === null) return { kind: "aborted" };

    const chat = this.#work.kind === "chat" ? this.#work.request : null;
    const end = await (chat !== null && callableTools(chat).length > 0
      ? this.#writeOrCall(chat, rest, enforced)
      : this.#writeText(rest, { enforced, stopTexts: [], stopTokens: [] }));
    if (signal.aborted || end.kind === "aborted") return { kind: "aborted" };
    if (end.kind === "too-slow") return { kind: "failed", error: jobErrors.requestTimeout };
    if (end.kind === "failed") return end;
    const stopText = end.kind === "stop-text" && request.stop.includes(end.text) ? end.text : null;
    const isWhole = end.kind === "ended" || (end.kind === "stop-text" && stopText === null);
    const text = enforced?.trimEnd === true && isWhole ? this.#text.trimEnd() : this.#text;
    return { kind: "done", result: this.#resultOf({ text, stopText }, end, startedAt) };
  }

  #resultOf(
    { text, stopText }: { readonly text: string; readonly stopText: string | null },
    end: Exclude<PassageEnd | CallsEnd, { readonly kind: "failed" | "too-slow" }>,
    startedAt: number,
  ): ChatResult {
    const { clock } = this.#deps;
    const { cached } = this.#loan;
    const { completionTokens, firstTokenAt, droppedMs, logprobs, passages } = this.#writer;
    const prefilledAt = firstTokenAt ?? clock();
    return {
      text,
      finishReason: finishReasonOf(end),
      ...(stopText === null ? {} : { stopText }),
      ...("calls" in end ? { toolCalls: end.calls } : {}),
      ...(this.#work.request.logprobs === undefined ? {} : { logprobs: choicesWithin(logprobs, text) }),
      written: packWritten(passages),
      usage: {
        promptTokens: this.#prompt.tokens.length,
        completionTokens,
        ...(cached > 0 ? { cachedPromptTokens: cached } : {}),
      },
      timing: {
        prefillMs: Math.round(prefilledAt - startedAt),
        generateMs: Math.round(clock() - prefilledAt - droppedMs),
      },
    };
  }

  /** Writes text of the answer. @param fed the part of the prompt that is not read yet. */
  #writeText(
    fed: readonly Token[],
    {
      enforced,
      stopTexts,
      stopTokens,
      emit = this.#emit,
    }: {
      readonly enforced: Enforced | null;
      readonly stopTexts: readonly string[];
      readonly stopTokens: readonly Token[];
      readonly emit?: (piece: string) => void;
    },
  ): Promise<PassageEnd> {
    // A grammar ends the answer itself, and may demand the very words with which the template ends one.
    const ends = enforced === null ? this.#prompt : { stopTexts: [], stopTokens: [] };
    return this.#writer.write(fed, {
      enforced,
      stopTexts: [...this.#work.request.stop, ...ends.stopTexts, ...stopTexts],
      stopTokens: new Set([...ends.stopTokens, ...stopTokens]),
      reported: true,
      emit,
    });
  }

  readonly #emit = (piece: string): void => {
    this.#text += piece;
    this.#deps.emit(piece, this.#freshChoices());
  };

  /** The choices of tokens that begin within the emitted text and were not emitted. */
  #freshChoices(): readonly StreamItem[] {
    const fresh: StreamItem[] = [];
    let { choices, chars } = this.#emitted;
    for (const token of this.#writer.logprobs.slice(choices)) {
      if (chars >= this.#text.length) break;
      fresh.push({ token });
      choices += 1;
      chars += token.token.length;
    }
    this.#emitted = { choices, chars };
    return fresh;
  }

  /** Writes text, or tool calls if the request demands one or the model begins one. */
  async #writeOrCall(
    request: ChatRequest,
    rest: readonly Token[],
    enforced: Enforced | null,
  ): Promise<PassageEnd | CallsEnd> {
    const syntax = callSyntax(this.#model, this.#deps.loaded.wrapper);
    if (mustCall(request)) return this.#calls(request).write([...rest, ...syntax.begin], syntax);
    if (enforced !== null) return this.#writeEnforcedOrCall(request, rest, enforced, syntax);
    const { trigger } = syntax;
    const end = await this.#writeText(rest, {
      enforced: null,
      stopTexts: trigger.kind === "texts" ? trigger.texts : [],
      stopTokens: trigger.kind === "token" ? [trigger.token] : [],
    });
    if (trigger.kind === "token") {
      if (end.kind !== "stop-token" || end.token !== trigger.token) return end;
      // The sequence holds all generated tokens but this last one.
      return this.#calls(request).write(syntax.begin, syntax);
    }
    if (end.kind !== "stop-text" || !trigger.texts.includes(end.text)) return end;
    const before = await this.#erase(end.tokensBefore);
    return this.#calls(request).write([...before, ...syntax.begin], syntax);
  }

  /**
   * Writes an answer in the request's format, or a tool call. The grammar allows the beginning of a call instead of an answer.
   * Text that may begin either one is held back until the answer shows which one it is.
   */
  async #writeEnforcedOrCall(
    request: ChatRequest,
    rest: readonly Token[],
    enforced: Enforced,
    syntax: CallSyntax,
  ): Promise<PassageEnd | CallsEnd> {
    const starts = callStarts(this.#model, syntax, callableTools(request));
    const matcher = new CallMatcher(starts);
    const end = await this.#writeText(rest, {
      enforced: await orTexts(
        this.#deps.loaded.llama,
        enforced,
        starts.map(({ text }) => text),
      ),
      stopTexts: [],
      stopTokens: [],
      emit: (piece) => {
        const text = matcher.push(piece);
        if (text !== "") this.#emit(text);
      },
    });
    // The cut text may belong to a call, so it is not shown.
    if (end.kind !== "ended") return end;
    const { call } = matcher;
    if (call === null) {
      if (matcher.held !== "") this.#emit(matcher.held);
      return end;
    }
    const before = await this.#erase(0);
    return this.#calls(request).write([...before, ...syntax.begin], syntax, call.name);
  }

  #calls(request: ChatRequest): CallWriter {
    const { loaded, jobId, emit, step } = this.#deps;
    const { sequence } = this.#loan;
    return new CallWriter({
      writer: this.#writer,
      sequence,
      loaded,
      request,
      tries: this.#tries,
      jobId,
      emit,
      step,
    });
  }

  /**
   * Takes generated tokens out of the sequence, and the one before them. Returns that one, to be read again. A text has several
   * tokenizations, so the template's own tokens replace those that were generated.
   */
  async #erase(tokensBefore: number): Promise<readonly Token[]> {
    const kept = this.#prompt.tokens.length + tokensBefore;
    await this.#deps.loaded.batches.eraseFrom(this.#loan.sequence, kept - 1);
    return tokensBefore === 0
      ? this.#prompt.tokens.slice(-1)
      : this.#writer.tokens.slice(tokensBefore - 1, tokensBefore);
  }
}

function finishReasonOf({ kind }: PassageEnd | CallsEnd): FinishReason {
  if (kind === "called") return "tool_calls";
  return kind === "length" || kind === "cut" ? "length" : "stop";
}
