import { ollamaEmbeddingsFields, ollamaEmbedFields, ollamaShowFields } from "../../../fields/ollama.ts";
import { type BodyParse, inOwnTerms, parseBody, requestBody, text } from "../parse-body.ts";
import { embeddingBody, type ParsedEmbedding, parseEmbedding } from "../parse-embedding.ts";

/** Parses the bodies of Ollama's calls that are not answered with text. */

const { model, input, dimensions } = embeddingBody.schema.shape;
export const ollamaEmbedBody = requestBody(ollamaEmbedFields, { model, input, dimensions });

/** Parses and bounds the body of POST /api/embed. Does not check the model. */
export function parseOllamaEmbed(json: string): BodyParse<ParsedEmbedding> {
  const parsed = parseBody(ollamaEmbedBody, json);
  if (parsed.kind === "refused") return parsed;
  return parseEmbedding(JSON.stringify(parsed.asked));
}

export const ollamaEmbeddingsBody = requestBody(ollamaEmbeddingsFields, { model, prompt: text.min(1) });

/** The same for POST /api/embeddings, the older call for one text. */
export function parseOllamaEmbeddings(json: string): BodyParse<ParsedEmbedding> {
  const parsed = parseBody(ollamaEmbeddingsBody, json);
  if (parsed.kind === "refused") return parsed;
  const { prompt, ...asked } = parsed.asked;
  const embedding = parseEmbedding(JSON.stringify({ ...asked, input: prompt }));
  return embedding.kind === "parsed" ? embedding : inOwnTerms(embedding, [[/^input\b/, "prompt"]]);
}

export const ollamaShowBody = requestBody(ollamaShowFields, { model, name: model });

/** Parses the body of POST /api/show. Does not check the model. */
export function parseOllamaShow(json: string): BodyParse<{ readonly model: string | null }> {
  const parsed = parseBody(ollamaShowBody, json);
  if (parsed.kind === "refused") return parsed;
  return { kind: "parsed", asked: { model: parsed.asked.model ?? parsed.asked.name ?? null } };
}
