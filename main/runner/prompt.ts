import type { ChatHistoryItem, Token } from "node-llama-cpp";
import type { ChatMessage } from "../../app/jobs/chat.ts";
import type { LoadedModel } from "./loaded-model.ts";

export type Prompt = {
  /** The whole prompt as the model reads it, the chat template's tokens included. */
  readonly tokens: readonly Token[];
  /** Tokens that end an answer besides the model's own end-of-generation tokens. */
  readonly stopTokens: ReadonlySet<Token>;
  /** The same as text, where the template ends answers by words. */
  readonly stopTexts: readonly string[];
};

/** Message contents are tokenized as plain text: a "<|im_end|>" in them is nine characters, no token. */
export function renderPrompt({ model, wrapper }: LoadedModel, messages: readonly ChatMessage[]): Prompt {
  const state = wrapper.generateContextState({
    // The history is ours to the last item: no default system prompt is put in front of it.
    chatHistory: [...messages.map(historyItem), { type: "model", response: [] }],
  });
  const tokens = state.contextText.tokenize(model.tokenizer);
  const bos = model.tokens.bos;
  const needsBos = model.tokens.shouldPrependBosToken && bos !== null && tokens[0] !== bos;

  const stopTokens = new Set<Token>();
  const stopTexts: string[] = [];
  for (const trigger of state.stopGenerationTriggers) {
    const triggerTokens = trigger.tokenize(model.tokenizer);
    const [only] = triggerTokens;
    if (triggerTokens.length === 1 && only !== undefined) stopTokens.add(only);
    else if (trigger.values.every((value) => typeof value === "string")) stopTexts.push(trigger.toString());
  }
  return { tokens: needsBos ? [bos, ...tokens] : tokens, stopTokens, stopTexts };
}

function historyItem({ role, content }: ChatMessage): ChatHistoryItem {
  switch (role) {
    case "system":
      return { type: "system", text: content };
    case "user":
      return { type: "user", text: content };
    case "assistant":
      return { type: "model", response: [content] };
  }
}
