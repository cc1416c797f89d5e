import {
  type ChatModelFunctions,
  type ChatWrapper,
  type GbnfJsonSchema,
  type LlamaModel,
  LlamaText,
  type Token,
} from "node-llama-cpp";
import type { ChatRequest, ChatTool } from "../../../app/jobs/chat.ts";
import { historyOf } from "./history.ts";

export type Prompt = {
  /** The whole prompt as the model reads it, the chat template's tokens included. */
  readonly tokens: readonly Token[];
  /** Tokens that end an answer besides the model's own end-of-generation tokens. */
  readonly stopTokens: ReadonlySet<Token>;
  /** The same as text, where the template ends answers by words. */
  readonly stopTexts: readonly string[];
};

type Speaking = { readonly model: LlamaModel; readonly wrapper: ChatWrapper };

/** Message contents are tokenized as plain text: a "<|im_end|>" in them is nine characters, no token. */
export function chatPrompt({ model, wrapper }: Speaking, request: ChatRequest): Prompt {
  const tools = request.toolChoice === "none" ? [] : (request.tools ?? []);
  const state = wrapper.generateContextState({
    // The history is ours to the last item: no default system prompt is put in front of it.
    chatHistory: historyOf(request.messages),
    ...(tools.length === 0 ? {} : { availableFunctions: functionsOf(tools), documentFunctionParams: true }),
  });
  const stopTokens = new Set<Token>();
  const stopTexts: string[] = [];
  for (const trigger of state.stopGenerationTriggers) {
    const triggerTokens = trigger.tokenize(model.tokenizer);
    const [only] = triggerTokens;
    if (triggerTokens.length === 1 && only !== undefined) stopTokens.add(only);
    else if (trigger.values.every((value) => typeof value === "string")) stopTexts.push(trigger.toString());
  }
  return { tokens: begun(model, state.contextText.tokenize(model.tokenizer)), stopTokens, stopTexts };
}

/** Text that is to be gone on with, as it stands. */
export function plainPrompt(model: LlamaModel, text: string): Prompt {
  return {
    tokens: begun(model, LlamaText(text).tokenize(model.tokenizer)),
    stopTokens: new Set(),
    stopTexts: [],
  };
}

function begun(model: LlamaModel, tokens: readonly Token[]): readonly Token[] {
  const { bos, shouldPrependBosToken } = model.tokens;
  return shouldPrependBosToken && bos !== null && tokens[0] !== bos ? [bos, ...tokens] : tokens;
}

function functionsOf(tools: readonly ChatTool[]): ChatModelFunctions {
  return Object.fromEntries(
    tools.map(({ name, description, parameters }) => [
      name,
      {
        ...(description === undefined ? {} : { description }),
        ...(parameters === undefined ? {} : { params: JSON.parse(parameters) as GbnfJsonSchema }),
      },
    ]),
  );
}
