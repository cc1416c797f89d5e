import { neutral, supported } from "./field.ts";
import { textFields } from "./text.ts";

/** The fields of POST /v1/completions. */
export const completionFields = {
  ...textFields,
  prompt: supported(
    "required. One prompt as text, or a list of several: as many as give 32 answers, so with `n` of 2 at most 16. Their texts have at most 256 KiB together. In place of a text each may be a list of [ids of tokens](#tokens), which the model reads as they are. Each answer is a job of its own, as with `n`. Those to the first prompt come first: with `n` of 2 the second prompt has the choices 2 and 3",
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
