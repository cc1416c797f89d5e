import { isRecord, parseJson, recordOf } from "../../app/json.ts";
import { answerText } from "../../app/signatures/statements.ts";

/**
 * The texts that may be the answer in a file: the file itself, without and with a line break at its end, and the answers in an
 * object of the API. So a saved text, and a saved body of a call, both fit.
 */
export function answersIn(file: string): readonly string[] {
  return [file, file.replace(/\r?\n$/, ""), ...answersOfBody(parseJson(file))];
}

function answersOfBody(body: unknown): readonly string[] {
  const { choices, data, output } = recordOf(body);
  if (Array.isArray(choices)) return choices.map(answerOfChoice);
  if (Array.isArray(data)) return [answerText({ embeddings: data.map(packedVector) })];
  if (Array.isArray(output)) return output.flatMap(textsOfOutput);
  return textsOfOutput(body);
}

function answerOfChoice(choice: unknown): string {
  const { text, message } = recordOf(choice);
  if (typeof text === "string") return text;
  const { content, tool_calls } = recordOf(message);
  const calls = Array.isArray(tool_calls) ? tool_calls : [];
  return answerText({ text: typeof content === "string" ? content : "", toolCalls: calls.map(toolCallOf) });
}

function toolCallOf(call: unknown): object {
  const { id, function: called } = recordOf(call);
  const { name, arguments: given } = recordOf(called);
  return { id, name, arguments: given };
}

/** The texts of a message in the form of the Responses API, or of Anthropic's. */
function textsOfOutput(item: unknown): readonly string[] {
  const { content } = recordOf(item);
  if (!Array.isArray(content)) return [];
  return content.flatMap((part) =>
    isRecord(part) && typeof part["text"] === "string" ? [part["text"]] : [],
  );
}

/** A vector as the queue stores it: 32-bit floats, little-endian, in base64. */
function packedVector(item: unknown): string {
  const { embedding } = recordOf(item);
  if (!Array.isArray(embedding)) return typeof embedding === "string" ? embedding : "";
  const bytes = Buffer.alloc(4 * embedding.length);
  for (const [at, value] of embedding.entries()) bytes.writeFloatLE(Number(value), 4 * at);
  return bytes.toString("base64");
}
