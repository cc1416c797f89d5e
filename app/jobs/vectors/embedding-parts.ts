import { limits } from "../limits.ts";
import { utf8Length } from "../utf8.ts";

/**
 * Cuts the inputs of a call into those of its jobs, in their order. The same inputs are always cut in the same way, so that a
 * repeated call finds its jobs.
 */
export function embeddingParts(inputs: readonly string[]): readonly (readonly string[])[] {
  const parts: string[][] = [];
  let bytes = 0;
  for (const input of inputs) {
    const last = parts.at(-1);
    bytes += utf8Length(input);
    if (last !== undefined && last.length < limits.embeddingInputsOfPart && bytes <= limits.promptBytes) {
      last.push(input);
    } else {
      parts.push([input]);
      bytes = utf8Length(input);
    }
  }
  return parts;
}
