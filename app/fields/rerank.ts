import { inert, names, neutral, supported } from "./field.ts";
import { asForChat } from "./text.ts";

/** The fields of POST /v1/rerank: those of Jina and Cohere, as vLLM and llama.cpp's server have them. */
export const rerankFields = {
  model: supported(asForChat, "gleaner-demo"),
  query: supported("required. A text, not empty", "Where are ships?"),
  documents: supported(
    'required. A list of at most 1,000 texts, or of objects `{"text": …}`; none empty, each of at most 256 KiB, all within a body of 1 MiB',
    ["the harbour in Oslo", "9 * 7 = 63"],
    { fields: names("text") },
  ),
  top_n: supported("only so many of the most relevant documents. Default: all", 1),
  return_documents: supported("`false`: the answer has only their indices. Default: true", false),
  service_tier: supported(asForChat, "flex"),
  max_tokens_per_doc: neutral("not supported. A document that is too long is refused, never cut"),
  max_chunks_per_doc: neutral("not supported. A document that is too long is refused, never cut"),
  truncate_prompt_tokens: neutral("not supported. A document that is too long is refused, never cut"),
  user: inert("the requester's own user. Jobs belong to API keys"),
};
