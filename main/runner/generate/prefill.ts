import type { LlamaContextSequence, Token } from "node-llama-cpp";
import { batchTokens } from "../load/batch-tokens.ts";
import type { SharedBatches } from "../load/shared-batches.ts";
import type { JobPace } from "../process/duty-cycle.ts";

type PrefillDeps = Omit<JobPace, "clock"> & {
  readonly slices: PrefillSlices;
  readonly batches: SharedBatches;
};

/** Reads a prompt slice by slice, since llama.cpp cannot be interrupted within a slice. False if aborted. */
export async function prefill(
  sequence: LlamaContextSequence,
  tokens: readonly Token[],
  deps: PrefillDeps,
): Promise<boolean> {
  return (await prefillUntil(sequence, tokens, deps, () => 0)) !== null;
}

/**
 * Reads all but the last slice and returns that, at least one token. Evaluating it together with the first generated
 * token saves a step. Null if aborted.
 */
export async function prefillButLastSlice(
  sequence: LlamaContextSequence,
  tokens: readonly Token[],
  deps: PrefillDeps,
): Promise<readonly Token[] | null> {
  return prefillUntil(sequence, tokens, deps, () => deps.slices.size);
}

async function prefillUntil(
  sequence: LlamaContextSequence,
  tokens: readonly Token[],
  { slices, batches, signal, pace }: PrefillDeps,
  left: () => number,
): Promise<readonly Token[] | null> {
  let at = 0;
  for (;;) {
    const wait = pace();
    if (wait !== null) await wait;
    if (signal.aborted) return null;
    if (tokens.length - at <= left()) return tokens.slice(at);
    const slice = tokens.slice(at, at + slices.size);
    await batches.step(async () => {
      if (signal.aborted) return;
      const startedAt = performance.now();
      await sequence.evaluateWithoutGeneratingNewTokens(slice);
      slices.measured(slice.length, performance.now() - startedAt);
    });
    at += slice.length;
  }
}

/** In tokens. Also the step by which the size changes. */
const smallest = 32;
const targetMs = 350;

/**
 * How many prompt tokens to evaluate at once. An abort waits for a slice's end, but small slices are slow. On one thread
 * with a model of 100 million parameters, slices of 16, 32, 64 and 128 tokens take 1.8, 1.5, 1.15 and 1.03 times as long
 * as slices of 512. So a slice, with the slices of other jobs in its batch, lasts about 350 ms. That is half of the time
 * in which a canceled job should stop. A yield does not wait but ends the process.
 * llama.cpp would split slices that are larger than its batch (`largest`).
 */
export class PrefillSlices {
  readonly #largest: number;
  #size: number;

  /** @param first the size of the first slice, at most `largest`. */
  constructor(largest: number = batchTokens.cpu, first = smallest) {
    this.#largest = largest;
    this.#size = first;
  }

  get size(): number {
    return this.#size;
  }

  measured(tokens: number, elapsedMs: number): void {
    const fitting = (tokens / Math.max(elapsedMs, 0.1)) * targetMs;
    this.#size = Math.min(this.#largest, Math.max(smallest, this.#next(fitting)));
  }

  /** Far from the fitting size it doubles or halves, near it moves one step: a single odd measurement changes little. */
  #next(fitting: number): number {
    const size = this.#size;
    if (fitting >= size * 2) return size * 2;
    if (fitting >= size + smallest) return size + smallest;
    if (fitting >= size) return size;
    return fitting < size / 2 ? size / 2 : size - smallest;
  }
}
