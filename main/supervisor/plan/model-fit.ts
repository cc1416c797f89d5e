import type { ModelFigures } from "../../../app/contract/runner.ts";
import { shortestContext } from "../../../app/jobs/context-steps.ts";

export type Fit =
  | {
      readonly kind: "fits";
      readonly contextTokens: number;
      /** Whether that is all that the model has. */
      readonly isWhole: boolean;
      readonly sequences: number;
      readonly bytes: number;
    }
  /** `needBytes`: for the shortest useful context. */
  | { readonly kind: "too-large"; readonly needBytes: number };

/** Memory besides the model and its contexts: the process itself, its buffers, and errors of the estimate. */
const overheadBytes = 300 * 2 ** 20;

/**
 * Fits a model into `memoryBytes`: with the wanted context for as many sequences as possible, else with one sequence and
 * a shorter context, else not at all. This is an estimate. A load may still fail, and reports that.
 */
export function fitModel(
  figures: ModelFigures,
  wanted: { readonly contextTokens: number; readonly sequences: number },
  memoryBytes: number,
): Fit {
  const most = Math.min(wanted.contextTokens, figures.trainedTokens);
  const least = Math.min(most, shortestContext);
  const bytesOf = (sequences: number, tokens: number): number =>
    overheadBytes +
    figures.modelBytes +
    sequences * (figures.contextBytes + tokens * figures.tokenBytes) +
    figures.embeddingBytes +
    tokens * figures.embeddingTokenBytes;
  const needBytes = bytesOf(1, least);
  if (needBytes > memoryBytes) return { kind: "too-large", needBytes };
  for (let sequences = wanted.sequences; sequences >= 1; sequences -= 1) {
    const bytes = bytesOf(sequences, most);
    if (bytes <= memoryBytes) return { kind: "fits", contextTokens: most, isWhole: true, sequences, bytes };
  }
  const room = (memoryBytes - bytesOf(1, 0)) / Math.max(1, figures.tokenBytes + figures.embeddingTokenBytes);
  const contextTokens = Math.max(least, Math.min(most, Math.floor(room / 256) * 256));
  const isWhole = contextTokens === most;
  return { kind: "fits", contextTokens, isWhole, sequences: 1, bytes: bytesOf(1, contextTokens) };
}
