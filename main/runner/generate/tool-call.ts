import { type ChatWrapper, type Llama, type LlamaModel, LlamaText, type Token } from "node-llama-cpp";
import type { ChatRequest, ChatTool, ToolCall } from "../../../app/jobs/chat.ts";
import { type Enforced, grammarOf } from "./grammars.ts";

/** How a model begins to call a tool, by its template. */
export type CallSyntax = {
  /** What the model says first, token by token. */
  readonly begin: readonly Token[];
  /** By which the call is noticed: a token of its own, or words. */
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

/** The tools that the answer may call; none: it calls none. */
export function toolsOf({ tools = [], toolChoice = "auto" }: ChatRequest): readonly ChatTool[] {
  if (toolChoice === "none") return [];
  return typeof toolChoice === "string" ? tools : tools.filter(({ name }) => name === toolChoice.name);
}

export function mustCall({ toolChoice = "auto" }: ChatRequest): boolean {
  return toolChoice === "required" || typeof toolChoice === "object";
}

/** Lets the model say nothing but the name of one of them. */
export async function nameGrammar(llama: Llama, tools: readonly ChatTool[]): Promise<Enforced> {
  const names = tools.map(({ name }) => JSON.stringify(name)).join(" | ");
  return {
    grammar: await llama.createGrammar({ grammar: `root ::= ${names}` }),
    stopTexts: [],
    trimEnd: false,
  };
}

/** Null where llama.cpp cannot hold the model to the tool's parameters. */
export async function argumentsGrammar(llama: Llama, { parameters }: ChatTool): Promise<Enforced | null> {
  return await grammarOf(
    llama,
    parameters === undefined
      ? { kind: "json-schema", schema: '{"type":"object","properties":{}}' }
      : { kind: "json-schema", schema: parameters },
  );
}

/** A call's id is looked up in the next request, so it has to be like no other of the same chat. */
export function toolCall(name: string, json: string): ToolCall {
  return { id: `call_${crypto.randomUUID().replaceAll("-", "").slice(0, 24)}`, name, arguments: json };
}
