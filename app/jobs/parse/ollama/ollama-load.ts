import { isRecord, parseJson } from "../../../json.ts";
import type { BodyParse } from "../parse-body.ts";

/** A call without a prompt. Ollama's clients load a model by it before they need it, and unload it. */
export type ParsedLoad = {
  /** As Ollama says that it did it. */
  readonly loads: "load" | "unload";
  readonly model: string | null;
  readonly stream: boolean;
};

/**
 * Parses the body of a call that may lack its prompt. The other fields have to be right in any case.
 * @param field the one that has the prompt. Absent, null or empty, it asks for nothing.
 * @param example a prompt, with which the other fields are parsed.
 */
export function parseOrLoad<Asked extends Omit<ParsedLoad, "loads">>(
  parse: (json: string) => BodyParse<Asked>,
  field: string,
  example: unknown,
): (json: string) => BodyParse<Asked | ParsedLoad> {
  return (json) => {
    const parsed = parse(json);
    if (parsed.kind === "parsed" || parsed.refusal.param !== field) return parsed;
    const body = parseJson(json);
    if (!isRecord(body) || !isNothing(body[field])) return parsed;
    const others = parse(JSON.stringify({ ...body, [field]: example }));
    if (others.kind === "refused") return others;
    const { model, stream } = others.asked;
    return { kind: "parsed", asked: { loads: doneBy(body["keep_alive"]), model, stream } };
  };
}

function isNothing(prompt: unknown): boolean {
  return prompt == null || prompt === "" || (Array.isArray(prompt) && prompt.length === 0);
}

/** A `keep_alive` of 0 unloads the model. */
function doneBy(keepAlive: unknown): ParsedLoad["loads"] {
  return keepAlive === 0 || (typeof keepAlive === "string" && /^0(h|m|s|ms)?$/.test(keepAlive))
    ? "unload"
    : "load";
}
