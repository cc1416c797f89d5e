import { type Infer, v, type Value } from "convex/values";
import { validate } from "convex-helpers/validators";
import { energyMistake } from "../../../app/energy/job-energy.ts";
import { textMistake } from "../../../app/jobs/answers/text-check.ts";
import { usageMistake } from "../../../app/jobs/answers/usage-check.ts";
import { limits } from "../../../app/jobs/limits.ts";
import { countIds, tokenIds } from "../../../app/jobs/payload/token-ids.ts";
import { asksForTokens, type EmbeddingRequest, type TextWork } from "../../../app/jobs/work.ts";
import type { Doc } from "../../_generated/dataModel.js";
import { deviceReport, replayAnswer, textAnswer, tokensAnswer, vectorAnswer } from "../validators/answers.ts";
import { resultSignature } from "./signature.ts";

const answer = v.union(textAnswer, vectorAnswer, tokensAnswer, replayAnswer);

const report = v.object({ ...deviceReport.fields, signature: v.optional(resultSignature) });

/** An answer and its costs, as a device sends and signs them. */
export type Answer = {
  readonly result: Infer<typeof answer>;
  readonly report: Infer<typeof deviceReport>;
  readonly signature: Infer<typeof resultSignature> | undefined;
};

/** Null if the values are no answer of any kind, or no JSON: then nobody can have signed them. */
export function readAnswer(result: Value, reported: Value | undefined): Answer | null {
  if (!validate(answer, result) || !validate(report, reported) || !isJson([result, reported])) return null;
  const { signature, ...costs } = reported;
  return { result, report: costs, signature };
}

/** JSON has no NaN and no infinity. */
function isJson(value: unknown): boolean {
  if (typeof value === "number") return Number.isFinite(value);
  return typeof value !== "object" || value === null || Object.values(value).every(isJson);
}

/** The backend's facts about the job of an answer. `payload`: as `submit` has checked it. */
type AnsweredJob = {
  readonly order: Pick<Doc<"orders">, "most" | "promptTokens" | "vectors">;
  readonly payload: Value;
  /** How long the device has had the job. */
  readonly heldMs: number;
};

/** Returns an answer's mistake as a sentence that quotes nothing of it; null if the job allows the answer. */
export function answerMistake({ result, report }: Answer, job: AnsweredJob): string | null {
  const { order, payload, heldMs } = job;
  const { vectors, most, promptTokens = most.promptTokens } = order;
  const ofEnergy = report.energy === undefined ? null : energyMistake(report.energy, heldMs);
  if (ofEnergy !== null) return ofEnergy;
  if (!isOfKind(result, payload)) return otherKind;
  if ("tokenIds" in result) {
    const bounds = { promptTokens, contextTokens: promptTokens, maxTokens: 0, answerBytes: 0 };
    return usageMistake(report, bounds, heldMs) ?? tokensMistake(result, report);
  }
  if ("embeddings" in result) {
    const bounds = { promptTokens, contextTokens: most.promptTokens, maxTokens: 0, answerBytes: 0 };
    const { dimensions } = payload as unknown as EmbeddingRequest;
    return usageMistake(report, bounds, heldMs) ?? vectorMistake(result.embeddings, vectors, dimensions);
  }
  if (!("text" in result)) return otherKind;
  const request = payload as unknown as TextWork["request"];
  const bounds = { promptTokens, contextTokens: most.promptTokens, heldMs };
  return textMistake({ ...result, ...report }, { request, ...bounds });
}

const otherKind = "The answer is of another kind than the job.";

function isOfKind(result: Answer["result"], payload: Value): boolean {
  const request = payload as Readonly<Record<string, Value>>;
  if (asksForTokens(request)) return "tokenIds" in result;
  return "inputs" in request ? "embeddings" in result : "text" in result;
}

function tokensMistake(
  result: Infer<typeof tokensAnswer>,
  { usage }: Infer<typeof deviceReport>,
): string | null {
  if (result.tokenIds.length > limits.resultBytes) return "The answer is too large.";
  const ids = tokenIds.safeParse(result).data;
  if (ids === undefined) return "The answer has no ids of tokens.";
  return countIds(ids) === usage.promptTokens
    ? null
    : "The answer has another number of tokens than it reports.";
}

function vectorMistake(
  embeddings: readonly string[],
  wanted: number | undefined,
  dimensions: number | undefined,
): string | null {
  if (embeddings.length !== wanted) return "The answer does not have one vector for each input.";
  if (JSON.stringify({ embeddings }).length > limits.resultBytes) return "The answer is too large.";
  const lengths = embeddings.map((packed) => readVector(packed)?.length ?? 0);
  if (lengths.includes(0)) return "A vector is not 32-bit floats in base64.";
  if (new Set(lengths).size > 1) return "The vectors have different lengths.";
  return lengths[0] === (dimensions ?? lengths[0])
    ? null
    : "The vectors have another length than was asked for.";
}

/** Reads a vector: 32-bit floats, little-endian, in base64. Null if the text is no vector of finite numbers. */
export function readVector(packed: string): readonly number[] | null {
  const bytes = decode(packed);
  if (bytes === null || bytes.length === 0 || bytes.length % 4 !== 0) return null;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const vector = Array.from({ length: bytes.length / 4 }, (_, index) => view.getFloat32(4 * index, true));
  return vector.every(Number.isFinite) ? vector : null;
}

function decode(packed: string): Uint8Array | null {
  try {
    return Uint8Array.from(atob(packed), (character) => character.charCodeAt(0));
  } catch {
    return null;
  }
}
