import { createHash } from "node:crypto";
import { limits } from "../../app/jobs/limits.ts";
import { isRecord, parseJson, recordOf } from "../../app/json.ts";
import { answerText } from "../../app/signatures/statements.ts";

/** The answers in a body: texts, each of one job, or vectors, each job's behind those of the job before. Or why it has none. */
type Found =
  | { readonly kind: "texts"; readonly texts: readonly string[] }
  | { readonly kind: "vectors"; readonly vectors: readonly string[] }
  | { readonly kind: "none"; readonly why: string };

const another = "The answer is another one: its hash is not the receipt's.";
const unknown: Found = { kind: "none", why: "This file has no answer that I know." };
const toolUse: Found = {
  kind: "none",
  why: "This answer cannot be checked: a message has the arguments of its tool calls as an object, and the device signed their text.",
};

/**
 * Why the answers of a file are not those of receipts; null if they are. The file is an answer's text, also with a line break at its
 * end, or the body of a call, of which each answer must be of some receipt.
 * @param hashes the receipts' hashes of their answers.
 */
export function answerProblem(file: string, hashes: ReadonlySet<string>): string | null {
  const isProven = (text: string): boolean => hashes.has(sha256(text));
  if (isProven(file) || isProven(file.replace(/\r?\n$/, ""))) return null;
  const body = parseJson(file);
  if (!isRecord(body)) return another;
  const found = answersOf(body);
  if (found.kind === "none") return found.why;
  const fits = found.kind === "texts" ? found.texts.every(isProven) : areOfJobs(found.vectors, hashes);
  return fits ? null : another;
}

/** The SHA-256 of a text, in lower-case hex. */
export function sha256(text: string): string {
  return createHash("sha256").update(text, "utf8").digest("hex");
}

function answersOf({ choices, data, output, content }: Readonly<Record<string, unknown>>): Found {
  const lists = [choices, data, output, content].filter(Array.isArray);
  const [list = []] = lists as readonly (readonly unknown[])[];
  // No call answers in two forms. One of them would not be checked.
  if (lists.length !== 1 || list.length === 0) return unknown;
  if (list === choices) return allTexts(list.map(textOfChoice));
  if (list === output) return allTexts([textOfItems(list)]);
  if (list === data) {
    const vectors = list.map(packedVector);
    return vectors.includes(null)
      ? unknown
      : { kind: "vectors", vectors: vectors.filter((each) => each !== null) };
  }
  return list.some((block) => recordOf(block)["type"] === "tool_use")
    ? toolUse
    : allTexts([textOfParts(list)]);
}

function allTexts(texts: readonly (string | null)[]): Found {
  return texts.includes(null) ? unknown : { kind: "texts", texts: texts.filter((each) => each !== null) };
}

function textOfChoice(choice: unknown): string | null {
  const { text, message, delta } = recordOf(choice);
  if (delta !== undefined || (text === undefined) === (message === undefined)) return null;
  if (message === undefined) return typeof text === "string" ? text : null;
  const { content, tool_calls: called = [] } = recordOf(message);
  if (!Array.isArray(called) || (typeof content !== "string" && called.length === 0)) return null;
  const calls = called.map((call) => {
    const { id, function: named } = recordOf(call);
    return toolCallOf(id, recordOf(named));
  });
  return textWithCalls(typeof content === "string" ? content : "", calls);
}

/** The text and the calls of a response, which are of one job. */
function textOfItems(items: readonly unknown[]): string | null {
  const isCall = (item: unknown): boolean => recordOf(item)["type"] === "function_call";
  const calls = items.filter(isCall).map((item) => toolCallOf(recordOf(item)["call_id"], recordOf(item)));
  const parts = items
    .filter((item) => !isCall(item))
    .map((item) => {
      const { content } = recordOf(item);
      return Array.isArray(content) ? textOfParts(content) : null;
    });
  return parts.includes(null) ? null : textWithCalls(parts.join(""), calls);
}

/** The text of a message in the form of the Responses API, or of Anthropic's. */
function textOfParts(parts: readonly unknown[]): string | null {
  const texts = parts.map((part) => recordOf(part)["text"]);
  return texts.every((text) => typeof text === "string") ? texts.join("") : null;
}

function textWithCalls(text: string, calls: readonly (object | null)[]): string | null {
  return calls.includes(null) ? null : answerText({ text, toolCalls: calls });
}

function toolCallOf(
  id: unknown,
  { name, arguments: given }: Readonly<Record<string, unknown>>,
): object | null {
  const call = { id, name, arguments: given };
  return Object.values(call).every((value) => typeof value === "string") ? call : null;
}

/** A vector as the queue stores it: 32-bit floats, little-endian, in base64. */
function packedVector(item: unknown): string | null {
  const { embedding } = recordOf(item);
  if (typeof embedding === "string") return embedding;
  if (!Array.isArray(embedding) || !embedding.every((value) => typeof value === "number")) return null;
  return Buffer.from(Float32Array.from(embedding).buffer).toString("base64");
}

/** Whether vectors can be cut into parts of which each is a job's answer: many inputs are several jobs. */
function areOfJobs(vectors: readonly string[], hashes: ReadonlySet<string>): boolean {
  const ends = new Set([0]);
  for (const from of vectors.keys()) {
    if (!ends.has(from)) continue;
    // The text of `answerText`, which grows by one vector at a time.
    const text = createHash("sha256").update('{"embeddings":[');
    for (const [at, vector] of vectors.slice(from, from + limits.embeddingInputs).entries()) {
      text.update(`${at === 0 ? "" : ","}${JSON.stringify(vector)}`);
      if (hashes.has(text.copy().update("]}").digest("hex"))) ends.add(from + at + 1);
    }
  }
  return ends.has(vectors.length);
}
