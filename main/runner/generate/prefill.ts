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
  return (await prefillUntil(sequence, tokens, deps, (left) => left === 0)) !== null;
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
  return prefillUntil(sequence, tokens, deps, (left) => deps.slices.next(left) === left);
}

async function prefillUntil(
  sequence: LlamaContextSequence,
  tokens: readonly Token[],
  { slices, batches, signal, pace }: PrefillDeps,
  isEnough: (left: number) => boolean,
): Promise<readonly Token[] | null> {
  let at = 0;
  for (;;) {
    const wait = pace();
    if (wait !== null) await wait;
    if (signal.aborted) return null;
    const left = tokens.length - at;
    if (isEnough(left)) return tokens.slice(at);
    const slice = tokens.slice(at, at + slices.next(left));
    await batches.step(async () => {
      if (signal.aborted) return;
      await slices.measure(slice.length, () => sequence.evaluateWithoutGeneratingNewTokens(slice));
    });
    at += slice.length;
  }
}

/** Slices that are evaluated together: those that have not ended, all of them, and their tokens. */
type Batch = { running: number; slices: number; tokens: number; readonly startedAt: number };

/** In tokens. Also the step by which the size changes. */
const smallest = 32;
const targetMs = 350;
/** The last slice may be this much larger, which is still within the time that a canceled job has. */
const stretch = 1.4;

/** The sizes of slices from the smallest to the largest, each twice the one before it. */
export function sliceSizes(largest: number): readonly number[] {
  const sizes: number[] = [];
  for (let size = smallest; size <= largest; size *= 2) sizes.push(size);
  return sizes;
}

/**
 * How many prompt tokens to evaluate at once. An abort waits for a slice's end, but small slices are slow. On one thread
 * with a model of 100 million parameters, slices of 16, 32, 64 and 128 tokens take 1.8, 1.5, 1.15 and 1.03 times as long
 * as slices of 512. So a slice, with the slices of other jobs in its batch, lasts about 350 ms. That is half of the time
 * in which a canceled job should stop. A yield does not wait but ends the process.
 * On a slow machine a slice has at least 64 tokens. More than two slices in a batch are not slow with 32 either, and the
 * supervisor waits for an abort beside other jobs for 10 s at most.
 * llama.cpp would split slices that are larger than its batch (`largest`).
 */
export class PrefillSlices {
  readonly #largest: number;
  readonly #clock: () => number;
  #size: number;
  #batch: Batch = { running: 0, slices: 0, tokens: 0, startedAt: 0 };

  /**
   * @param first the size of the first slice, at most `largest`.
   * @param clock in ms.
   */
  constructor(
    largest: number = batchTokens.cpu,
    first = smallest,
    clock: () => number = () => performance.now(),
  ) {
    this.#largest = largest;
    this.#size = first;
    this.#clock = clock;
  }

  get size(): number {
    return this.#size;
  }

  /**
   * The tokens of a prompt's next slice. Slices of equal size are faster than some large ones and a small one.
   * @param left the tokens of the prompt that are not read yet.
   */
  next(left: number): number {
    const size = this.#size;
    if (left <= Math.min(this.#largest, size * stretch)) return left;
    return Math.ceil(left / Math.ceil(left / size));
  }

  /** Evaluates a slice. Slices that are evaluated at the same time share a batch, which counts once. */
  async measure<T>(tokens: number, evaluate: () => Promise<T>): Promise<T> {
    if (this.#batch.running === 0)
      this.#batch = { running: 0, slices: 0, tokens: 0, startedAt: this.#clock() };
    const batch = this.#batch;
    batch.running += 1;
    batch.slices += 1;
    batch.tokens += tokens;
    try {
      return await evaluate();
    } finally {
      batch.running -= 1;
      if (batch.running === 0) this.#adjust(batch);
    }
  }

  #adjust({ slices, tokens, startedAt }: Batch): void {
    const elapsedMs = Math.max(this.#clock() - startedAt, 0.1);
    const fitting = ((tokens / elapsedMs) * targetMs) / slices;
    const least = slices > 2 ? smallest : 2 * smallest;
    this.#size = Math.min(this.#largest, Math.max(least, this.#nearer(fitting)));
  }

  /** Far from the fitting size it doubles or halves, near it moves one step: a single odd measurement changes little. */
  #nearer(fitting: number): number {
    const size = this.#size;
    if (fitting >= size * 2) return size * 2;
    if (fitting >= size + smallest) return size + smallest;
    if (fitting >= size) return size;
    return fitting < size / 2 ? size / 2 : size - smallest;
  }
}
