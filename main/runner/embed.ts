import type { Token } from "node-llama-cpp";
import { contextExceeded, jobErrors } from "../../app/contract/job-errors.ts";
import type { RunOutcome } from "../../app/contract/runner.ts";
import { limits } from "../../app/jobs/limits.ts";
import { unpackIds } from "../../app/jobs/payload/token-ids.ts";
import type { EmbeddingRequest } from "../../app/jobs/work.ts";
import type { VectorReplay } from "../../app/trust/replay.ts";
import { vectorFit } from "../../app/trust/vector-fit.ts";
import { ownTokens } from "./generate/own-tokens.ts";
import type { LoadedModel } from "./load/load-model.ts";
import type { JobPace } from "./process/duty-cycle.ts";

/** Computes the vectors of texts, one text at a time. */
export async function embed(
  loaded: LoadedModel,
  { inputs, dimensions }: EmbeddingRequest,
  { signal, pace, clock, step }: JobPace & { readonly step: (step: "embed") => void },
): Promise<RunOutcome> {
  const startedAt = clock();
  const opened = await loaded.embedding();
  if (opened.kind === "unsuitable") return { kind: "failed", error: jobErrors.modelUnsuitable };
  if (opened.kind === "no-room") return { kind: "failed", error: jobErrors.outOfMemory };
  const { context } = opened;
  step("embed");
  const embeddings: string[] = [];
  let promptTokens = 0;
  for (const input of inputs) {
    const wait = pace();
    if (wait !== null) await wait;
    if (signal.aborted) return { kind: "aborted" };
    const read = typeof input === "string" ? input : ownTokens(loaded.model, unpackIds(input));
    if (read === null) return { kind: "failed", error: jobErrors.wrongTokens };
    const tokens = context.calculateInputLength(copyOf(read));
    // The library needs room for one more token.
    if (tokens >= loaded.wholeContextTokens) {
      return { kind: "failed", error: contextExceeded(tokens, loaded.wholeContextTokens) };
    }
    if (tokens >= Math.min(loaded.contextTokens, opened.contextTokens)) {
      return { kind: "failed", error: jobErrors.contextTooSmall };
    }
    const { vector } = await context.getEmbeddingFor(copyOf(read));
    if (dimensions !== undefined && dimensions !== vector.length) {
      return { kind: "failed", error: jobErrors.wrongDimensions };
    }
    promptTokens += tokens;
    const packed = pack(vector);
    // All vectors of a model have the same length, so the first one tells the size of the result.
    if (packed.length * inputs.length > limits.resultBytes - 4_096) {
      return { kind: "failed", error: jobErrors.resultTooLarge };
    }
    embeddings.push(packed);
  }
  if (signal.aborted) return { kind: "aborted" };
  return {
    kind: "done",
    result: {
      embeddings,
      usage: { promptTokens, completionTokens: 0 },
      timing: { prefillMs: Math.round(clock() - startedAt), generateMs: 0 },
    },
  };
}

/** The library adds tokens to the list that it gets. */
function copyOf(read: string | readonly Token[]): string | Token[] {
  return typeof read === "string" ? read : [...read];
}

/** Computes the vectors of a replay, and compares them with those of the answer. */
export async function replayVectors(
  loaded: LoadedModel,
  { of, answer }: VectorReplay,
  deps: Parameters<typeof embed>[2],
): Promise<RunOutcome> {
  const outcome = await embed(loaded, of.request, deps);
  if (outcome.kind !== "done" || !("embeddings" in outcome.result)) return outcome;
  const { embeddings, usage, timing } = outcome.result;
  const { promptTokens } = usage;
  const { prefillMs } = timing;
  return {
    kind: "done",
    result: {
      replay: vectorFit(answer.embeddings.map(unpack), embeddings.map(unpack)),
      usage: { promptTokens, completionTokens: 0 },
      timing: { prefillMs, generateMs: 0 },
    },
  };
}

/** Scales to length 1, so that the product of two vectors is their cosine. 32-bit floats, little-endian, in base64. */
export function pack(vector: readonly number[]): string {
  const length = Math.hypot(...vector) || 1;
  const bytes = Buffer.alloc(vector.length * 4);
  vector.forEach((each, index) => bytes.writeFloatLE(each / length, index * 4));
  return bytes.toString("base64");
}

/** The opposite of `pack`. Bytes that are no whole number are left out. */
function unpack(packed: string): number[] {
  const bytes = Buffer.from(packed, "base64");
  return Array.from({ length: Math.floor(bytes.length / 4) }, (_, index) => bytes.readFloatLE(index * 4));
}
