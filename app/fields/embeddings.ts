import { inert, supported } from "./field.ts";
import { asForChat } from "./text.ts";

/** The fields of POST /v1/embeddings. */
export const embeddingFields = {
  model: supported(asForChat, "gleaner-demo"),
  input: supported(
    "required. A text or a list of at most 2,048 texts; none empty, each of at most 256 KiB, all within a body of 1 MiB. In place of a text it may be a list of [ids of tokens](#tokens)",
    ["the harbour in Oslo", "9 * 7 = 63"],
  ),
  encoding_format: supported("`float` or `base64` (32-bit floats, little-endian)", "base64"),
  service_tier: supported(asForChat, "flex"),
  dimensions: supported(
    "only the length of the model's own vectors. Another one fails with `wrong_dimensions` and costs nothing: only some models are trained for shorter vectors, and their files do not say so",
    128,
  ),
  user: inert("the requester's own user. Jobs belong to API keys"),
};
