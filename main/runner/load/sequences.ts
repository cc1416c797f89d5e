import type { LlamaContext, LlamaContextSequence, Token } from "node-llama-cpp";
import type { SharedBatches } from "./shared-batches.ts";

type PooledSequence = {
  readonly sequence: LlamaContextSequence;
  busy: boolean;
  usedAt: number;
  /** Whose tokens it holds. Undefined: a job's that shares them with nobody. */
  owner: string | undefined;
};

/** A sequence for the use of one job. */
export type SequenceLoan = {
  readonly sequence: LlamaContextSequence;
  /** Tokens of the prompt that the sequence holds already, so they need not be read again. */
  readonly cached: number;
  readonly release: () => void;
};

/**
 * The sequences of one context. Each keeps its last job's tokens for a later prompt of the same owner with the same prefix.
 * vLLM separates its prefix cache by a `cache_salt` in the same way.
 */
export class Sequences {
  readonly #all: readonly PooledSequence[];
  readonly #batches: SharedBatches;
  /** Counts loans; tells which sequence was used least recently. */
  #loans = 0;

  constructor(context: LlamaContext, batches: SharedBatches) {
    this.#batches = batches;
    this.#all = Array.from({ length: context.totalSequences }, () => ({
      sequence: context.getSequence(),
      busy: false,
      usedAt: -1,
      owner: undefined,
    }));
  }

  /**
   * Lends the best sequence for this prompt. It keeps at most all but the prompt's last token, and nothing of another owner
   * or of none. Throws if no sequence is free.
   */
  async lend(prompt: readonly Token[], owner?: string): Promise<SequenceLoan> {
    const free = this.#all.filter(({ busy }) => !busy);
    const shared = free.map((each) =>
      owner !== undefined && each.owner === owner ? reusableTokens(each.sequence, prompt) : 0,
    );
    const index = chooseSequence(
      free.map(({ sequence, usedAt }, at) => ({
        shared: shared[at] ?? 0,
        held: sequence.nextTokenIndex,
        usedAt,
      })),
    );
    const chosen = free[index];
    if (chosen === undefined) throw new Error("no sequence is free");
    chosen.busy = true;
    chosen.usedAt = this.#loans += 1;
    const cached = shared[index] ?? 0;
    const { sequence } = chosen;
    try {
      if (cached === 0) await this.#batches.step(() => sequence.clearHistory());
      else await this.#batches.eraseFrom(sequence, cached);
    } catch (error) {
      chosen.busy = false;
      throw error;
    }
    chosen.owner = owner;
    return { sequence, cached, release: () => (chosen.busy = false) };
  }
}

/** How many of the prompt's tokens the sequence can continue from. The last one is always read again. */
function reusableTokens(sequence: LlamaContextSequence, prompt: readonly Token[]): number {
  const same = sequence.compareContextTokens([...prompt]).firstDifferentIndex;
  const kept = Math.min(same, prompt.length - 1);
  if (kept <= 0 || kept === sequence.nextTokenIndex || !sequence.needsCheckpoints) return Math.max(0, kept);
  // Models with a sliding window or a recurrent state cannot always go back to an earlier token.
  return sequence.getRestoreToPrefixIndexEvaluationSize(kept - 1) === 0 ? kept : 0;
}

type FreeSequence = {
  /** Tokens of the prompt that it holds, from the first one on. */
  readonly shared: number;
  /** Tokens that it holds. */
  readonly held: number;
  /** When a job last used it; -1 for never. */
  readonly usedAt: number;
};

/** All prompts of a model begin with some tokens of its template. A long cached prompt is worth more than these. */
const worthSharing = 24;

/**
 * Chooses the sequence that holds most of the prompt. If none holds much of it, an empty one or the least recently used.
 * Returns its index, -1 for an empty list.
 */
export function chooseSequence(free: readonly FreeSequence[]): number {
  const best = indexOfLeast(free, (sequence) => -sequence.shared);
  const mostShared = free[best]?.shared ?? 0;
  if (mostShared >= worthSharing) return best;
  return indexOfLeast(free, ({ held, usedAt }) => (held === 0 ? -2 : usedAt));
}

function indexOfLeast(free: readonly FreeSequence[], value: (sequence: FreeSequence) => number): number {
  let best = -1;
  let least = Infinity;
  free.forEach((sequence, index) => {
    const each = value(sequence);
    if (each < least) [best, least] = [index, each];
  });
  return best;
}
