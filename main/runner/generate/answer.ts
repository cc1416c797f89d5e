import type { Llama, LlamaModel, Token } from "node-llama-cpp";
import { contextExceeded, jobErrors } from "../../../app/contract/job-errors.ts";
import type { ChatRequest, ChatResult, JobError, ToolCall } from "../../../app/jobs/chat.ts";
import type { Work } from "../../../app/jobs/work.ts";
import type { LoadedModel } from "../load/model-slot.ts";
import type { Lease } from "../load/sequences.ts";
import type { Clock, Pace } from "../process/duty-cycle.ts";
import { type Enforced, grammarOf } from "./grammars.ts";
import { choicesWithin } from "./logprobs.ts";
import { prefillButLastSlice } from "./prefill.ts";
import type { PrefillSlices } from "./prefill-slices.ts";
import { chatPrompt, plainPrompt, type Prompt } from "./prompt.ts";
import { argumentsGrammar, callSyntax, mustCall, nameGrammar, toolCall, toolsOf } from "./tool-call.ts";
import { type PassageEnd, Writer } from "./writer.ts";

export type TextWork = Exclude<Work, { readonly kind: "embedding" }>;

export type AnswerOutcome =
  | { readonly kind: "done"; readonly result: ChatResult }
  | { readonly kind: "failed"; readonly error: JobError }
  | { readonly kind: "aborted" };

export type AnswerWork = {
  readonly llama: Llama;
  readonly loaded: LoadedModel;
  readonly slices: PrefillSlices;
  readonly signal: AbortSignal;
  readonly pace: Pace;
  /** Stands while it rests. */
  readonly clock: Clock;
  readonly emit: (text: string) => void;
};

/** Reads a prompt and writes the answer to it, in a sequence of the model's context. Throws what llama.cpp throws. */
export async function answer(work: TextWork, parts: AnswerWork): Promise<AnswerOutcome> {
  const { loaded } = parts;
  const prompt =
    work.kind === "chat" ? chatPrompt(loaded, work.request) : plainPrompt(loaded.model, work.request.prompt);
  const contextTokens = loaded.contextTokens;
  if (prompt.tokens.length === 0 || prompt.tokens.length >= contextTokens) {
    return { kind: "failed", error: contextExceeded(prompt.tokens.length, contextTokens) };
  }
  const lease = await loaded.sequences.lease(prompt.tokens);
  try {
    return await new Answer(work, prompt, lease, parts).write();
  } finally {
    lease.release();
  }
}

class Answer {
  readonly #work: TextWork;
  readonly #prompt: Prompt;
  readonly #lease: Lease;
  readonly #parts: AnswerWork;
  readonly #model: LlamaModel;
  readonly #writer: Writer;
  #text = "";

  constructor(work: TextWork, prompt: Prompt, lease: Lease, parts: AnswerWork) {
    this.#work = work;
    this.#prompt = prompt;
    this.#lease = lease;
    this.#parts = parts;
    this.#model = parts.loaded.model;
    this.#writer = new Writer({
      model: this.#model,
      sequence: lease.sequence,
      request: work.request,
      contextTokens: parts.loaded.contextTokens,
      signal: parts.signal,
      pace: parts.pace,
      clock: parts.clock,
    });
  }

  async write(): Promise<AnswerOutcome> {
    const { llama, signal, clock } = this.#parts;
    const { request } = this.#work;
    const enforced = request.format === undefined ? null : await grammarOf(llama, request.format);
    if (request.format !== undefined && enforced === null) {
      return { kind: "failed", error: jobErrors.invalidGrammar };
    }
    const startedAt = clock();
    const { tokens } = this.#prompt;
    const { cached, sequence } = this.#lease;
    const rest = await prefillButLastSlice(sequence, tokens.slice(cached), this.#parts);
    if (rest === null) return { kind: "aborted" };

    const chat = this.#work.kind === "chat" ? this.#work.request : null;
    const tools = chat === null ? [] : toolsOf(chat);
    const end = await (chat !== null && tools.length > 0
      ? this.#withTools(chat, rest)
      : this.#say(rest, { enforced, stopTexts: [], stopTokens: new Set() }));
    if (signal.aborted || end.kind === "aborted") return { kind: "aborted" };
    if (end.kind === "failed") return end;
    const text = enforced?.trimEnd === true ? this.#text.trimEnd() : this.#text;
    const { completionTokens, firstTokenAt } = this.#writer;
    const prefilledAt = firstTokenAt ?? clock();
    return {
      kind: "done",
      result: {
        text,
        finishReason: end.kind === "called" ? "tool_calls" : end.kind === "length" ? "length" : "stop",
        ...(end.kind === "called" ? { toolCalls: [end.call] } : {}),
        ...(request.logprobs === undefined ? {} : { logprobs: choicesWithin(this.#writer.logprobs, text) }),
        usage: {
          promptTokens: tokens.length,
          completionTokens,
          ...(cached > 0 ? { cachedPromptTokens: cached } : {}),
        },
        timing: {
          prefillMs: Math.round(prefilledAt - startedAt),
          generateMs: Math.round(clock() - prefilledAt),
        },
      },
    };
  }

  /** @param fed what of the prompt is not read yet. */
  #say(
    fed: readonly Token[],
    passage: Pick<Parameters<Writer["write"]>[1], "enforced" | "stopTexts" | "stopTokens">,
  ) {
    return this.#writer.write(fed, {
      enforced: passage.enforced,
      stopTexts: [...this.#work.request.stop, ...this.#prompt.stopTexts, ...passage.stopTexts],
      stopTokens: new Set([...this.#prompt.stopTokens, ...passage.stopTokens]),
      reported: true,
      emit: (piece) => {
        this.#text += piece;
        this.#parts.emit(piece);
      },
    });
  }

  /** The answer, or a call of one of the tools, whichever the model begins; or the call that the request asks for. */
  async #withTools(request: ChatRequest, rest: readonly Token[]): Promise<PassageEnd | Called> {
    const syntax = callSyntax(this.#model, this.#parts.loaded.wrapper);
    const { sequence } = this.#lease;
    if (mustCall(request)) return this.#call(request, [...rest, ...syntax.begin], syntax.beforeArguments);
    const { trigger } = syntax;
    const end = await this.#say(rest, {
      enforced: null,
      stopTexts: trigger.kind === "texts" ? trigger.texts : [],
      stopTokens: new Set(trigger.kind === "token" ? [trigger.token] : []),
    });
    if (trigger.kind === "token") {
      if (end.kind !== "stop-token" || end.token !== trigger.token) return end;
      // What was generated before it is in the sequence, but for the token itself.
      return this.#call(request, syntax.begin, syntax.beforeArguments);
    }
    if (end.kind !== "stop-text" || !trigger.texts.includes(end.text)) return end;
    // Words can be tokenized in many ways: from where they begin it goes on with the template's own tokens.
    const kept = this.#prompt.tokens.length + end.tokensBefore;
    if (sequence.nextTokenIndex > kept - 1) {
      await sequence.eraseContextTokenRanges([{ start: kept - 1, end: sequence.nextTokenIndex }]);
    }
    const before =
      end.tokensBefore === 0
        ? this.#prompt.tokens.slice(-1)
        : this.#writer.tokens.slice(end.tokensBefore - 1, end.tokensBefore);
    return this.#call(request, [...before, ...syntax.begin], syntax.beforeArguments);
  }

  async #call(
    request: ChatRequest,
    begin: readonly Token[],
    beforeArguments: readonly Token[],
  ): Promise<PassageEnd | Called> {
    const { llama } = this.#parts;
    const tools = toolsOf(request);
    let name = tools.length === 1 ? (tools[0]?.name ?? "") : "";
    let fed = begin;
    if (name === "") {
      const end = await this.#silent(fed, await nameGrammar(llama, tools), (text) => (name += text));
      if (end.kind !== "ended") return end;
      fed = this.#writer.tokens.slice(-1);
    } else {
      fed = [...fed, ...this.#model.tokenize(name)];
    }
    const tool = tools.find((each) => each.name === name);
    const enforced = tool === undefined ? null : await argumentsGrammar(llama, tool);
    if (enforced === null) return { kind: "failed", error: jobErrors.invalidGrammar };
    let json = "";
    const end = await this.#silent([...fed, ...beforeArguments], enforced, (text) => (json += text));
    if (end.kind === "aborted" || end.kind === "length") return end;
    return { kind: "called", call: toolCall(name, json.trim()) };
  }

  #silent(fed: readonly Token[], enforced: Enforced, emit: (text: string) => void) {
    return this.#writer.write(fed, {
      ...{ enforced, emit },
      stopTexts: [],
      stopTokens: new Set<Token>(),
      reported: false,
    });
  }
}

type Called =
  | { readonly kind: "called"; readonly call: ToolCall }
  | { readonly kind: "failed"; readonly error: JobError };
