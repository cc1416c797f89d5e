import { resultFieldsJson } from "./known-result.ts";
import type { StateModification, TransitionMessage } from "./server-messages.ts";

/** A transition as it is sent: what `JSON.stringify` would make of it, but for results, whose text is shared. */
export function transitionJson({ modifications, ...others }: TransitionMessage): string {
  const fields = JSON.stringify(others).slice(0, -1);
  return `${fields},"modifications":[${modifications.map(modificationJson).join(",")}]}`;
}

function modificationJson(modification: StateModification): string {
  if (modification.type === "QueryRemoved") return JSON.stringify(modification);
  const { type, queryId, result } = modification;
  return `${JSON.stringify({ type, queryId }).slice(0, -1)},${resultFieldsJson(result)}}`;
}
