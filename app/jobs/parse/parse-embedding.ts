import * as z from "zod";
import { limits } from "../limits.ts";
import type { JobPriority } from "../priority.ts";
import type { EmbeddingRequest } from "../work.ts";
import { type BodyParse, boundedList, parseBody, refuseSize, text } from "./parse-body.ts";
import { given, modelName, priorityOf, serviceTier, whole } from "./parse-sampling.ts";

/** An embedding request, as received over HTTP. */
export type ParsedEmbedding = {
  /** Null if the requester named none. */
  readonly model: string | null;
  readonly encoding: "float" | "base64";
  readonly priority: JobPriority;
  readonly request: EmbeddingRequest;
};

const input = text.min(1);

const body = z.object({
  model: modelName,
  input: z.union([
    input.transform((only) => [only]),
    boundedList(input, { least: 1, most: limits.embeddingInputs }),
  ]),
  encoding_format: z.enum(["float", "base64"]).nullish(),
  // Only some models are trained for shortened vectors, and a model's file does not say which. So only its own length is accepted.
  dimensions: whole(1, 100_000).nullish(),
  service_tier: serviceTier,
});

/** Parses and bounds the body of POST /v1/embeddings. Does not check the model. */
export function parseEmbedding(json: string): BodyParse<ParsedEmbedding> {
  const parsed = parseBody(body, json);
  if (parsed.kind === "refused") return parsed;
  const { model, input: inputs, encoding_format: encoding, service_tier: tier, dimensions } = parsed.asked;
  const tooLong = refuseSize("input", inputs);
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
