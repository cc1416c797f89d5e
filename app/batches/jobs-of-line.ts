import { limits } from "../jobs/limits.ts";
import { packIds, type TextOrIds } from "../jobs/payload/token-ids.ts";
import { embeddingParts } from "../jobs/vectors/embedding-parts.ts";
import type { Work } from "../jobs/work.ts";
import { type BatchEndpoint, batchEndpoints } from "./limits.ts";

/**
 * How many jobs a request of a batch is: one for each choice of each prompt, and for each part of many inputs. A body that its own call would
 * refuse counts as one.
 */
export function jobsOfLine(endpoint: BatchEndpoint, body: Readonly<Record<string, unknown>>): number {
  const { n, input, prompt } = body;
  if (batchEndpoints[endpoint] === "embedding") {
    const inputs = Array.isArray(input) && input.length <= limits.embeddingInputsOfCall ? input : [];
    const read = inputs.map(inputOf);
    return read.includes(null) ? 1 : Math.max(1, embeddingParts(read as readonly TextOrIds[]).length);
  }
  if (endpoint === "/v1/chat/completions") return choicesIn(n);
  if (endpoint !== "/v1/completions") return 1;
  const answers = choicesIn(n) * promptsIn(prompt);
  return answers >= 1 && answers <= limits.completions ? answers : 1;
}

function choicesIn(n: unknown): number {
  return typeof n === "number" && Number.isInteger(n) && n >= 1 && n <= limits.choices ? n : 1;
}

/** A list of numbers is one prompt, as ids of tokens. */
function promptsIn(prompt: unknown): number {
  if (!Array.isArray(prompt) || typeof prompt[0] === "number") return 1;
  return prompt.some((each) => inputOf(each) === null) ? 1 : prompt.length;
}

/** For each job of a request, the index of its choice or of its first vector in the answer. */
export function indexesOf(works: readonly Work[]): number[] {
  let next = 0;
  return works.map((work) => {
    const index = next;
    next += work.kind === "embedding" ? work.request.inputs.length : 1;
    return index;
  });
}

function inputOf(input: unknown): TextOrIds | null {
  if (typeof input === "string") return input;
  const isIds = Array.isArray(input) && input.every((each): each is number => typeof each === "number");
  return isIds ? packIds(input) : null;
}
