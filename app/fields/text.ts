import { inert, names, neutral, supported, unused } from "./field.ts";

/** Fields that chat completions and completions share. */

/** The words for a field that several calls have. */
export const asForChat = "as for chat completions";

const user = inert("the requester's own user. Jobs belong to API keys");

const schemaFields = {
  ...names("schema", "strict"),
  ...unused("name", "description"),
};

function own(words: string) {
  return supported(words, { votes: 3 }, { fields: names("votes", "escalate") });
}

/** Our own field in the calls of other APIs. */
export const ownForChat = own("[second opinions](#second-opinions), as for chat completions");

export const textFields = {
  model: supported(
    "a model's name or an [alias](#aliases-and-the-default-model). May be left out if the organization has a default model",
    "gleaner-demo",
  ),
  max_tokens: supported(
    "the older name of an upper bound of the answer's tokens; one beyond the model's context is taken for the context",
    100,
  ),
  temperature: supported("from 0 to 2. Default: 1", 0.7),
  top_p: supported("from 0 to 1. Default: 1", 0.9),
  seed: supported("a whole number. Without one we choose it, and retries of the job use the same", 42),
  stop: supported("a text or at most 4, before which the answer ends", ["\n\n"]),
  stream: supported(
    "server-sent events. Comments keep the connection alive while the job waits, and say how: `: queued, about 12 jobs before it, about 40 s, 3 devices`",
    true,
  ),
  stream_options: supported(
    "`include_usage`: the last event has the usage, and each earlier one `usage: null`",
    { include_usage: true },
    { fields: { ...names("include_usage"), ...unused("include_obfuscation") } },
  ),
  service_tier: supported(
    "`priority` runs before other jobs, `flex` after them. The organization sets what either [costs](#price). An administrator sets the highest priority of each key. The answer and each chunk name the tier of the job",
    "flex",
  ),
  logit_bias: supported("a bias from -100 to 100 for ids of tokens", { "42": -100 }),
  presence_penalty: supported("from -2 to 2. Default: 0", 0.5),
  frequency_penalty: supported("from -2 to 2. Default: 0", 0.5),
  top_k: supported("as in llama.cpp: only so many of the likeliest tokens; 0: all", 40),
  min_p: supported("as in llama.cpp: only tokens at least so likely, measured by the likeliest", 0.05),
  repeat_penalty: supported("as in llama.cpp: from 0.5 to 2. Default: 1", 1.1),
  response_format: supported(
    'an object or a JSON schema, enforced token by token. `{"type": "json_object", "schema": …}` is a JSON schema, too. [Schemas](#schemas) says what `"strict": true` promises',
    { type: "json_object" },
    { fields: { ...names("type", "schema"), json_schema: { ...supported("", null), fields: schemaFields } } },
  ),
  grammar: supported("a grammar of llama.cpp (GBNF), enforced token by token", 'root ::= "yes" | "no"'),
  n: supported(
    "1 to 8 choices. Each is a job of its own with the next seed, and pays for the prompt, too; `usage` has the sum. If one fails, the call fails and the others are canceled; a choice that has ended by then is paid",
    2,
  ),
  x_gleaner: own(
    "`votes`: 1 to 5 answers of different devices, of which you get the one that most agree on, see [Second opinions](#second-opinions). `escalate`: false asks no larger model if they disagree. Refused together with `n` and a `temperature` of 0, and in batches",
  ),
  user,
  stop_token_ids: neutral("not supported. Use `stop`"),
  repetition_penalty: neutral("only 1. Use `repeat_penalty`"),
  cache_prompt: inert("llama.cpp's. Devices cache prompts by themselves"),
};

/** Fields of OpenAI's calls that are about its storage, caches, billing or safety, so no answer depends on them. */
export const openAiInert = {
  user,
  prompt_cache_key: inert("devices cache prompts by themselves"),
  prompt_cache_retention: inert("devices cache prompts by themselves"),
  prompt_cache_options: inert("devices cache prompts by themselves"),
  safety_identifier: inert("the requester's own user"),
};
