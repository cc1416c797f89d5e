import { chatFields } from "./chat.ts";
import { neutral, supported } from "./field.ts";
import { asForChat } from "./text.ts";

const ownTemplate = neutral("not supported. The catalog sets a model's template, for all requests");

const messages = chatFields.messages.example;

/** The fields of POST /v1/tokenize, as vLLM has them. */
export const tokenizeFields = {
  model: supported(asForChat, "gleaner-demo"),
  prompt: supported(
    "a text of at most 256 KiB. Either this or `messages` is required",
    "The capital of Norway",
  ),
  messages: {
    ...chatFields.messages,
    words:
      "a chat, as for chat completions. The tokens are those of its whole prompt, by the model's template",
    beside: { prompt: null },
  },
  tools: { ...chatFields.tools, words: "those of the chat", beside: { prompt: null, messages } },
  add_special_tokens: supported(
    "`false`: without the tokens that begin a text for some models. Default: true for a text. A chat has those of its template",
    false,
  ),
  service_tier: supported(asForChat, "flex"),
  add_generation_prompt: neutral("only `true`: the prompt ends where the answer begins"),
  continue_final_message: neutral("only `false`"),
  return_token_strs: neutral("only `false`"),
  chat_template: ownTemplate,
  chat_template_kwargs: ownTemplate,
};
