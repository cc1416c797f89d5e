import { limits } from "../limits.ts";
import { mostTokensOf, type TextOrIds } from "../payload/token-ids.ts";

/**
 * Cuts the inputs of a call into those of its jobs, in their order. The same inputs are always cut in the same way, so that a
 * repeated call finds its jobs.
 */
export function embeddingParts(inputs: readonly TextOrIds[]): readonly (readonly TextOrIds[])[] {
  const parts: TextOrIds[][] = [];
  let bytes = 0;
  for (const input of inputs) {
    const last = parts.at(-1);
    bytes += mostTokensOf(input);
    if (last !== undefined && last.length < limits.embeddingInputsOfPart && bytes <= limits.promptBytes) {
      last.push(input);
    } else {
      parts.push([input]);
      bytes = mostTokensOf(input);
    }
  }
  return parts;
}
