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
  /** How another call follows in the same answer. Null: the template knows of one call. */
  readonly next: NextCall | null;
};

type NextCall = {
  /** The tokens that end the call before. */
  readonly end: readonly Token[];
  readonly begin: readonly Token[];
  /** The beginning of what the model writes if it makes another call, without blanks. */
  readonly sign: string;
};

export function callSyntax(model: LlamaModel, wrapper: ChatWrapper): CallSyntax {
  const { settings } = wrapper;
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
    next: nextCall(model, wrapper),
  };
}

function nextCall(model: LlamaModel, { settings }: ChatWrapper): NextCall | null {
  const { call, parallelism } = settings.functions;
  if (parallelism === undefined) return null;
  const begin = LlamaText([parallelism.call.betweenCalls ?? "", call.prefix]).tokenize(model.tokenizer);
  const end = LlamaText(call.suffix).tokenize(model.tokenizer);
  // A special token says it all. Models vary the words after it.
  const special = begin.findIndex((token) => model.isSpecialToken(token));
  const sign = withoutBlanks(model.detokenize(special === -1 ? begin : begin.slice(0, special + 1), true));
  return sign === "" ? null : { end, begin, sign };
}

function withoutBlanks(text: string): string {
  return text.replace(/\s/g, "");
}

/** Whether a text after a call begins another one. Null while it is too short to tell. */
export function beginsCall(text: string, { sign }: Pick<NextCall, "sign">): boolean | null {
  const written = withoutBlanks(text);
  if (written.startsWith(sign)) return true;
  return sign.startsWith(written) ? null : false;
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
