import { type BodyParse, inOwnTerms, parseBody, text } from "../parse-body.ts";
import { type ParsedEmbedding, parseEmbedding } from "../parse-embedding.ts";
import { modelName } from "../parse-sampling.ts";
import { inert, known, modelFields } from "./ollama-fields.ts";

/** Parses the bodies of Ollama's calls that are not answered with text. */

/** `truncate`: an input that is too long is refused, never cut. The other fields are those of OpenAI's API. */
const embedBody = known({
  ...modelFields,
  input: inert,
  dimensions: inert,
  truncate: inert,
});

/** Parses and bounds the body of POST /api/embed. Does not check the model. */
export function parseOllamaEmbed(json: string): BodyParse<ParsedEmbedding> {
  const parsed = parseBody({ schema: embedBody, fields: null }, json);
  if (parsed.kind === "refused") return parsed;
  const { model, input, dimensions } = parsed.asked;
  return parseEmbedding(JSON.stringify({ model, input, dimensions }));
}

const embeddingsBody = known({ ...modelFields, prompt: text.min(1) });

/** The same for POST /api/embeddings, the older call for one text. */
export function parseOllamaEmbeddings(json: string): BodyParse<ParsedEmbedding> {
  const parsed = parseBody({ schema: embeddingsBody, fields: null }, json);
  if (parsed.kind === "refused") return parsed;
  const { model, prompt } = parsed.asked;
  const embedding = parseEmbedding(JSON.stringify({ model, input: prompt }));
  return embedding.kind === "parsed" ? embedding : inOwnTerms(embedding, [[/^input\b/, "prompt"]]);
}

/** `name` is the older word for `model`. */
const showBody = known({
  ...modelFields,
  name: modelName,
  verbose: inert,
  system: inert,
  template: inert,
});

/** Parses the body of POST /api/show. Does not check the model. */
export function parseOllamaShow(json: string): BodyParse<{ readonly model: string | null }> {
  const parsed = parseBody({ schema: showBody, fields: null }, json);
  if (parsed.kind === "refused") return parsed;
  return { kind: "parsed", asked: { model: parsed.asked.model ?? parsed.asked.name ?? null } };
}
