import { type ChatWrapper, type Llama, type LlamaModel, LlamaText, type Token } from "node-llama-cpp";
import type { ChatRequest, ChatTool } from "../../../app/jobs/chat.ts";
import { type Enforced, grammarOf, plainGrammar } from "./grammars.ts";

/** How a model begins a tool call in its chat template. */
export type CallSyntax = {
  /** The tokens that begin a call. */
  readonly begin: readonly Token[];
  /** The sign that a call begins: a special token, or words. */
  readonly trigger:
    | { readonly kind: "token"; readonly token: Token }
    | { readonly kind: "texts"; readonly texts: readonly string[] };
  readonly beforeArguments: readonly Token[];
};

export function callSyntax(model: LlamaModel, { settings }: ChatWrapper): CallSyntax {
  const { call, parallelism } = settings.functions;
  const section = parallelism?.call.sectionPrefix ?? "";
  const prefix = LlamaText([section, call.prefix]);
  const begin = prefix.tokenize(model.tokenizer);
  const [first] = begin;
  const words = prefix.values.every((value) => typeof value === "string");
  const special = !words && first !== undefined && model.isSpecialToken(first);
  const alternates = (call.prefixAlternateMatches ?? []).map((each) => LlamaText(each).toString());
  return {
    begin,
    trigger: special
      ? { kind: "token", token: first }
      : { kind: "texts", texts: [prefix.toString().trimEnd(), ...alternates].filter((text) => text !== "") },
    beforeArguments: LlamaText(call.paramsPrefix).tokenize(model.tokenizer),
  };
}

export function mustCall({ toolChoice = "auto" }: ChatRequest): boolean {
  return toolChoice === "required" || typeof toolChoice === "object";
}

/** `name`: "" if the call's name follows. */
type CallStart = { readonly text: string; readonly name: string };

/** The beginnings of calls, as a grammar writes them: up to the name, or up to the token that tells that a call begins. */
export function callStarts(
  model: LlamaModel,
  { begin, trigger }: CallSyntax,
  tools: readonly ChatTool[],
): readonly CallStart[] {
  if (trigger.kind === "token") return [{ text: model.detokenize([trigger.token], true), name: "" }];
  const prefix = model.detokenize(begin, true);
  return tools.map(({ name }) => ({ text: prefix + name, name }));
}

/** Holds a text back as long as it may be the beginning of a call. */
export class CallMatcher {
  readonly #starts: readonly CallStart[];
  #held = "";
  #isOpen = true;

  constructor(starts: readonly CallStart[]) {
    this.#starts = starts;
  }

  get held(): string {
    return this.#held;
  }

  /** The call that the whole text begins; null: none. */
  get call(): CallStart | null {
    return this.#starts.find(({ text }) => this.#isOpen && text === this.#held) ?? null;
  }

  /** Takes the next piece of the text. Returns what is certainly no beginning of a call. */
  push(piece: string): string {
    if (!this.#isOpen) return piece;
    const text = this.#held + piece;
    this.#isOpen = this.#starts.some((start) => start.text.startsWith(text));
    this.#held = this.#isOpen ? text : "";
    return this.#isOpen ? "" : text;
  }
}

/** Allows only the names of these tools. */
export function nameGrammar(llama: Llama, tools: readonly ChatTool[]): Promise<Enforced> {
  const names = tools.map(({ name }) => JSON.stringify(name)).join(" | ");
  return plainGrammar(llama, `root ::= ${names}`);
}

/** Null if llama.cpp cannot enforce the tool's parameters. */
export function argumentsGrammar(llama: Llama, { parameters }: ChatTool): Promise<Enforced | null> {
  const schema = parameters ?? '{"type":"object","properties":{}}';
  return grammarOf(llama, { kind: "json-schema", schema });
}
