import * as z from "zod";
import { rerankFields } from "../../fields/rerank.ts";
import { limits } from "../limits.ts";
import type { JobPriority } from "../priority.ts";
import {
  absent,
  type BodyParse,
  boundedList,
  parseBody,
  refuseSize,
  requestBody,
  text,
} from "./parse-body.ts";
import { modelName, priorityOf, serviceTier, whole } from "./parse-sampling.ts";

/** A request to rank documents, as received over HTTP. */
export type ParsedRerank = {
  /** Null if the requester named none. */
  readonly model: string | null;
  readonly query: string;
  readonly documents: readonly string[];
  readonly topN: number;
  readonly returnDocuments: boolean;
  readonly priority: JobPriority;
};

const document = z.union([text.min(1), z.object({ text: text.min(1) }).transform(({ text: own }) => own)]);
const uncut = absent("a document that is too long is refused, never cut");

export const rerankBody = requestBody(rerankFields, {
  model: modelName,
  query: text.min(1),
  documents: boundedList(document, { least: 1, most: limits.rerankedDocuments }),
  top_n: whole(1, 1_000_000).nullish(),
  return_documents: z.boolean().nullish(),
  service_tier: serviceTier,
  max_tokens_per_doc: uncut,
  max_chunks_per_doc: uncut,
  truncate_prompt_tokens: uncut,
});

/** Parses and bounds the body of POST /v1/rerank. Does not check the model. */
export function parseRerank(json: string): BodyParse<ParsedRerank> {
  const parsed = parseBody(rerankBody, json);
  if (parsed.kind === "refused") return parsed;
  const { asked } = parsed;
  const { query, documents } = asked;
  const tooLong =
    refuseSize("query", [query]) ??
    documents.reduce<ReturnType<typeof refuseSize>>(
      (found, each, index) => found ?? refuseSize(`documents[${String(index)}]`, [each]),
      null,
    );
  if (tooLong !== null) return tooLong;
  return {
    kind: "parsed",
    asked: {
      model: asked.model ?? null,
      query,
      documents,
      topN: Math.min(asked.top_n ?? documents.length, documents.length),
      returnDocuments: asked.return_documents ?? true,
      priority: priorityOf(asked.service_tier ?? "auto"),
    },
  };
}
