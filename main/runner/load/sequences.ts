import type { LlamaContext, LlamaContextSequence, Token } from "node-llama-cpp";
import { chooseSequence } from "./sequence-choice.ts";

type Place = { readonly sequence: LlamaContextSequence; busy: boolean; usedAt: number };

/** A sequence for the use of one job. */
export type Lease = {
  readonly sequence: LlamaContextSequence;
  /** How much of the prompt it holds, and need not read again. */
  readonly cached: number;
  readonly release: () => void;
};

/** The sequences of one context. Each keeps what its last job left in it, for a next one that begins alike. */
export class Sequences {
  readonly #places: readonly Place[];
  #clock = 0;

  constructor(context: LlamaContext) {
    this.#places = Array.from({ length: context.totalSequences }, () => ({
      sequence: context.getSequence(),
      busy: false,
      usedAt: -1,
    }));
  }

  get free(): number {
    return this.#places.filter(({ busy }) => !busy).length;
  }

  /** One for this prompt, in which of the prompt's tokens at most all but the last are kept. Throws when none is free. */
  async lease(prompt: readonly Token[]): Promise<Lease> {
    const free = this.#places.filter(({ busy }) => !busy);
    const shared = free.map(({ sequence }) => reusable(sequence, prompt));
    const index = chooseSequence(
      free.map(({ sequence, usedAt }, at) => ({
        shared: shared[at] ?? 0,
        held: sequence.nextTokenIndex,
        usedAt,
      })),
    );
    const place = free[index];
    if (place === undefined) throw new Error("no sequence is free");
    place.busy = true;
    place.usedAt = this.#clock += 1;
    const cached = shared[index] ?? 0;
    const { sequence } = place;
    try {
      if (cached === 0) await sequence.clearHistory();
      else if (cached < sequence.nextTokenIndex) {
        await sequence.eraseContextTokenRanges([{ start: cached, end: sequence.nextTokenIndex }]);
      }
    } catch (error) {
      place.busy = false;
      throw error;
    }
    return { sequence, cached, release: () => (place.busy = false) };
  }
}

/** How many of the prompt's tokens the sequence holds and can go on from. The last one is read again for what follows it. */
function reusable(sequence: LlamaContextSequence, prompt: readonly Token[]): number {
  const same = sequence.compareContextTokens([...prompt]).firstDifferentIndex;
  const kept = Math.min(same, prompt.length - 1);
  if (kept <= 0 || kept === sequence.nextTokenIndex || !sequence.needsCheckpoints) return Math.max(0, kept);
  // Models that do not attend to all before, or keep a running state, cannot always go back to an earlier token.
  return sequence.getRestoreToPrefixIndexEvaluationSize(kept - 1) === 0 ? kept : 0;
}
