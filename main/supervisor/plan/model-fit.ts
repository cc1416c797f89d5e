import type { ModelFigures } from "../../../app/contract/runner.ts";

export type Fit =
  | {
      readonly kind: "fits";
      readonly contextTokens: number;
      readonly sequences: number;
      readonly bytes: number;
    }
  /** `needBytes`: for the shortest context that is of use. */
  | { readonly kind: "too-large"; readonly needBytes: number };

/** A context shorter than this is of no use to most jobs, unless the model itself has a shorter one. */
const shortestContext = 2_048;
/** Beside the model and its contexts: the process itself, its buffers, and what estimates miss. */
const overheadBytes = 300 * 2 ** 20;

/**
 * How a model goes into `memoryBytes`: with the context that is wanted for as many sequences as there is room for, else
 * with one sequence and a shorter context, else not at all. An estimate: what a load really takes is the system's
 * affair, and a load that fails is reported as such.
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
    if (bytes <= memoryBytes) return { kind: "fits", contextTokens: most, sequences, bytes };
  }
  const room = (memoryBytes - bytesOf(1, 0)) / Math.max(1, figures.tokenBytes + figures.embeddingTokenBytes);
  const contextTokens = Math.max(least, Math.min(most, Math.floor(room / 256) * 256));
  return { kind: "fits", contextTokens, sequences: 1, bytes: bytesOf(1, contextTokens) };
}
