import type { ModelFigures } from "../../../app/contract/runner.ts";
import { shortestContext } from "../../../app/jobs/context-steps.ts";

export type Fit =
  | {
      readonly kind: "fits";
      /** The memory that holds the weights: the computer's, a GPU's own, or both. */
      readonly place: "ram" | "split" | "vram";
      /** Layers on the GPU. With fewer than `least`, the rest would not fit into RAM. Null with all layers in RAM. */
      readonly gpuLayers: { readonly least: number; readonly most: number } | null;
      /** Whether RAM by itself is too small for this context and these sequences. */
      readonly needsGpu: boolean;
      readonly contextTokens: number;
      /** Whether that is all that the model has. */
      readonly isWhole: boolean;
      readonly sequences: number;
      /** Of RAM. */
      readonly bytes: number;
      readonly vramBytes: number;
    }
  /** `needBytes`: of RAM, for the shortest useful context without a GPU. */
  | { readonly kind: "too-large"; readonly needBytes: number };

/** Memory for models, in bytes. */
export type MemoryForModels = {
  readonly ramBytes: number;
  /** Of a GPU with its own memory that may be used now. Null without one, and where it is unknown. */
  readonly vramBytes: number | null;
};

type Wanted = { readonly contextTokens: number; readonly sequences: number };
type Bytes = { readonly ram: number; readonly vram: number };

const mebibyte = 2 ** 20;
/** Memory besides the model and its contexts: the process itself, its buffers, and errors of the estimate. */
const overheadBytes = 300 * mebibyte;
/** With a GPU's driver in the process. */
const gpuOverhead: Bytes = { ram: 500 * mebibyte, vram: 300 * mebibyte };

/** One way to divide a model, and its memory with a number of sequences and a context. */
type Split = { readonly layers: number; readonly bytesOf: (sequences: number, tokens: number) => Bytes };

/**
 * Fits a model into the memory. The wanted context comes first, because jobs depend on it. Then as many layers as possible
 * are on the GPU, and then as many sequences as fit. If the wanted context fits nowhere, the longest one that fits. This is
 * an estimate. A load may still fail, and reports that.
 */
export function fitModel(figures: ModelFigures, wanted: Wanted, memory: MemoryForModels): Fit {
  const most = Math.min(wanted.contextTokens, figures.trainedTokens);
  const least = Math.min(most, shortestContext);
  const inRam = splitOf(figures, 0);
  const steps = memory.vramBytes === null ? [] : (figures.gpu?.steps ?? []);
  const splits = [...steps.map(({ layers }) => splitOf(figures, layers)).reverse(), inRam];
  const found = splits.flatMap((split) => {
    const context = longestContext(split, { most, least, sequences: wanted.sequences }, memory);
    return context === null ? [] : [{ split, ...context }];
  });
  const longest = Math.max(...found.map(({ tokens }) => tokens));
  const best = found.find(({ tokens }) => tokens === longest);
  if (best === undefined) return { kind: "too-large", needBytes: inRam.bytesOf(1, least).ram };
  const { split, tokens, sequences } = best;
  const { ram, vram } = split.bytesOf(sequences, tokens);
  const fitsRam = (each: Split): boolean => each.bytesOf(sequences, tokens).ram <= memory.ramBytes;
  const needsGpu = !fitsRam(inRam);
  // Fewer layers need more RAM, so the first step that fits is the least.
  const leastLayers = splits.findLast((each) => each !== inRam && fitsRam(each))?.layers ?? split.layers;
  return {
    kind: "fits",
    place: split === inRam ? "ram" : split.layers === figures.layers ? "vram" : "split",
    gpuLayers: split === inRam ? null : { least: needsGpu ? leastLayers : 0, most: split.layers },
    needsGpu,
    contextTokens: tokens,
    isWhole: tokens === most,
    sequences,
    bytes: ram,
    vramBytes: vram,
  };
}

/** RAM that a model takes without a GPU, in bytes. */
export function bytesInRam(figures: ModelFigures, { sequences, contextTokens }: Wanted): number {
  return splitOf(figures, 0).bytesOf(sequences, contextTokens).ram;
}

/** Null if not even the shortest context fits. Several sequences are worth memory only with the whole context. */
function longestContext(
  { bytesOf }: Split,
  { most, least, sequences }: { readonly most: number; readonly least: number; readonly sequences: number },
  { ramBytes, vramBytes }: MemoryForModels,
): { readonly tokens: number; readonly sequences: number } | null {
  const fits = ({ ram, vram }: Bytes): boolean => ram <= ramBytes && vram <= (vramBytes ?? 0);
  if (!fits(bytesOf(1, least))) return null;
  for (let count = sequences; count >= 1; count -= 1) {
    if (fits(bytesOf(count, most))) return { tokens: most, sequences: count };
  }
  const empty = bytesOf(1, 0);
  const one = bytesOf(1, 1);
  const tokensIn = (room: number, each: number): number => room / Math.max(1, each);
  const room = Math.min(
    tokensIn(ramBytes - empty.ram, one.ram - empty.ram),
    one.vram === empty.vram ? Infinity : tokensIn((vramBytes ?? 0) - empty.vram, one.vram - empty.vram),
  );
  return { tokens: Math.max(least, Math.min(most, Math.floor(room / 256) * 256)), sequences: 1 };
}

/**
 * The layers on the GPU keep their part of each context there. The buffers for computing are needed in both memories, so
 * the fixed part counts twice. The output is the last layer and keeps nothing.
 */
function splitOf(figures: ModelFigures, layers: number): Split {
  const { contextBytes, tokenBytes, embeddingBytes, embeddingTokenBytes } = figures;
  const step = figures.gpu?.steps.find((each) => each.layers === layers);
  if (figures.gpu === undefined || step === undefined) {
    return {
      layers: 0,
      bytesOf: (sequences, tokens) => ({
        ram:
          overheadBytes +
          figures.modelBytes +
          sequences * (contextBytes + tokens * tokenBytes) +
          embeddingBytes +
          tokens * embeddingTokenBytes,
        vram: 0,
      }),
    };
  }
  const onGpu = Math.min(1, layers / Math.max(1, figures.layers - 1));
  const { gpu } = figures;
  return {
    layers,
    bytesOf: (sequences, tokens) => {
      const perToken = sequences * tokenBytes + embeddingTokenBytes;
      const gpuPerToken = sequences * gpu.tokenBytes + embeddingTokenBytes;
      const fixed = sequences * gpu.contextBytes + embeddingBytes;
      return {
        ram: gpuOverhead.ram + step.ramBytes + fixed + tokens * perToken * (1 - onGpu),
        vram: gpuOverhead.vram + step.vramBytes + fixed + tokens * gpuPerToken * onGpu,
      };
    },
  };
}
