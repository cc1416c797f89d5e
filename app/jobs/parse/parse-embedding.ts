import * as z from "zod";
import { embeddingFields } from "../../fields/embeddings.ts";
import { limits } from "../limits.ts";
import type { JobPriority } from "../priority.ts";
import type { EmbeddingRequest } from "../work.ts";
import {
  type BodyParse,
  boundedList,
  numbersOr,
  parseBody,
  refuseSize,
  requestBody,
  text,
} from "./parse-body.ts";
import { given, idList, modelName, priorityOf, serviceTier, whole } from "./parse-sampling.ts";

/** An embedding request, as received over HTTP. */
export type ParsedEmbedding = {
  /** Null if the requester named none. */
  readonly model: string | null;
  readonly encoding: "float" | "base64";
  readonly priority: JobPriority;
  readonly request: EmbeddingRequest;
};

export const embeddingBody = requestBody(embeddingFields, {
  model: modelName,
  input: numbersOr(
    idList.transform((only) => [only]),
    z.union([
      text.min(1).transform((only) => [only]),
      boundedList(z.union([text.min(1), idList]), { least: 1, most: limits.embeddingInputsOfCall }),
    ]),
  ),
  encoding_format: z.enum(["float", "base64"]).nullish(),
  // Only some models are trained for shortened vectors, and a model's file does not say which. So only its own length is accepted.
  dimensions: whole(1, 100_000).nullish(),
  service_tier: serviceTier,
});

/**
 * Parses and bounds the body of POST /v1/embeddings. Its inputs may become several jobs: `embeddingParts` cuts them. Does not
 * check the model.
 */
export function parseEmbedding(json: string): BodyParse<ParsedEmbedding> {
  const parsed = parseBody(embeddingBody, json);
  if (parsed.kind === "refused") return parsed;
  const { model, input: inputs, encoding_format: encoding, service_tier: tier, dimensions } = parsed.asked;
  const tooLong = firstOf(inputs, (each, index) =>
    refuseSize(inputs.length === 1 ? "input" : `input[${String(index)}]`, [each]),
  );
  if (tooLong !== null) return tooLong;
  return {
    kind: "parsed",
    asked: {
      model: model ?? null,
      encoding: encoding ?? "float",
      priority: priorityOf(tier ?? "auto"),
      request: { inputs, ...given({ dimensions }) },
    },
  };
}

function firstOf<Each, Found>(
  all: readonly Each[],
  find: (each: Each, index: number) => Found | null,
): Found | null {
  for (const [index, each] of all.entries()) {
    const found = find(each, index);
    if (found !== null) return found;
  }
  return null;
}
