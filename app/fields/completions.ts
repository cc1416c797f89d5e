import { neutral, supported } from "./field.ts";
import { textFields } from "./text.ts";

/** The fields of POST /v1/completions. */
export const completionFields = {
  ...textFields,
  prompt: supported(
    "required. One prompt as text, or a list of one; at most 256 KiB. In place of a text it may be a list of [ids of tokens](#tokens), which the model reads as they are",
    "The capital of Norway is",
  ),
  max_tokens: supported("an upper bound. Default: 16, as in OpenAI's API", 3),
  logprobs: supported(
    "a number, at most 20: how many of the likeliest tokens are reported beside the drawn one. `text_offset` counts the answer's characters, from 0. A stream sends them with the text",
    2,
  ),
  best_of: neutral("only 1"),
  echo: neutral("only `false`"),
  suffix: neutral("not supported"),
};
