import { randomUUID } from "node:crypto";
import { resultFieldsJson } from "./known-result.ts";
import type { ServerMessage, StateModification, TransitionMessage } from "./server-messages.ts";

/** Characters per chunk: small enough that a ping or response is not stuck behind a huge frame. */
const defaultChunkLength = 4 * 1024 * 1024;

/** A transition's frames: one, or numbered chunks when it is large. */
export function transitionFrames(
  message: TransitionMessage,
  chunkLength = defaultChunkLength,
): readonly string[] {
  const text = transitionJson(message);
  if (text.length <= chunkLength) return [text];
  const transitionId = randomUUID();
  const chunks = splitBetweenCharacters(text, chunkLength);
  return chunks.map((chunk, partNumber) =>
    JSON.stringify({
      type: "TransitionChunk",
      chunk,
      partNumber,
      totalParts: chunks.length,
      transitionId,
    } satisfies ServerMessage),
  );
}

/** Never cuts a surrogate pair, which would not survive the frame's UTF-8. */
function splitBetweenCharacters(text: string, length: number): readonly string[] {
  const chunks: string[] = [];
  for (let start = 0; start < text.length;) {
    let end = Math.min(start + length, text.length);
    if (end < text.length && isHighSurrogate(text.charCodeAt(end - 1))) end++;
    chunks.push(text.slice(start, end));
    start = end;
  }
  return chunks;
}

function isHighSurrogate(code: number): boolean {
  return code >= 0xd800 && code <= 0xdbff;
}

/** Serializes a transition like `JSON.stringify`, but reuses the shared text of results. */
export function transitionJson({ modifications, ...others }: TransitionMessage): string {
  const fields = JSON.stringify(others).slice(0, -1);
  return `${fields},"modifications":[${modifications.map(modificationJson).join(",")}]}`;
}

function modificationJson(modification: StateModification): string {
  if (modification.type === "QueryRemoved") return JSON.stringify(modification);
  const { type, queryId, result } = modification;
  return `${JSON.stringify({ type, queryId }).slice(0, -1)},${resultFieldsJson(result)}}`;
}
