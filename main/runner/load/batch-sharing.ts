/** Batches per side of a comparison. */
const samples = 8;
/** Batches until the other way is tried: first, and at most. */
const trialAfter = { first: 32, most: 2_048 };
/** The other way has to take at most this part of the time, so that noise changes nothing. */
const worthwhile = 0.95;

/**
 * Decides whether jobs side by side share a batch or take turns, one job a batch. A shared batch reads the weights once for all
 * its jobs, which pays if memory is the limit. Few cores are slower at the sums than memory is, and llama.cpp then needs longer
 * for a small batch than for its tokens one by one: with one thread and 100 million parameters, four jobs wrote 91 tokens a
 * second together and 118 in turn. So both ways are measured, the other one again and again, but more and more rarely.
 */
export class BatchSharing {
  /** By the number of jobs, since two may be better off in turn, and eight together. */
  readonly #ways = new Map<number, Ways>();

  /** How many of the jobs that are ready the next batch takes. */
  jobsInBatch(ready: number): number {
    return ready > 1 && this.#waysOf(ready).now === "in-turn" ? 1 : ready;
  }

  /**
   * Counts a batch that gave one token to each of its jobs.
   * @param ready the jobs that were ready when it began, as `jobsInBatch` was told.
   */
  measured(ready: number, tokens: number, elapsedMs: number): void {
    if (ready > 1) this.#waysOf(ready).measured(elapsedMs / tokens);
  }

  #waysOf(ready: number): Ways {
    const known = this.#ways.get(ready);
    if (known !== undefined) return known;
    const ways = new Ways();
    this.#ways.set(ready, ways);
    return ways;
  }
}

type Way = "together" | "in-turn";

/** The better way for a number of jobs, and the trials of the other one. */
class Ways {
  #better: Way = "together";
  #isTrial = false;
  /** Times per token, in ms: the last ones of the better way, and those of the trial. */
  #usual: readonly number[] = [];
  #tried: readonly number[] = [];
  #batches = 0;
  #trialAfter = trialAfter.first;

  get now(): Way {
    return this.#isTrial ? other(this.#better) : this.#better;
  }

  measured(msPerToken: number): void {
    if (this.#isTrial) {
      this.#tried = [...this.#tried, msPerToken];
      if (this.#tried.length === samples) this.#endTrial();
      return;
    }
    this.#usual = [...this.#usual, msPerToken].slice(-samples);
    this.#batches += 1;
    this.#isTrial = this.#batches >= this.#trialAfter;
  }

  #endTrial(): void {
    const isBetter = median(this.#tried) < worthwhile * median(this.#usual);
    if (isBetter) this.#better = other(this.#better);
    this.#trialAfter = isBetter ? trialAfter.first : Math.min(2 * this.#trialAfter, trialAfter.most);
    this.#isTrial = false;
    this.#usual = [];
    this.#tried = [];
    this.#batches = 0;
  }
}

function other(way: Way): Way {
  return way === "together" ? "in-turn" : "together";
}

function median(times: readonly number[]): number {
  return times.toSorted((a, b) => a - b)[Math.floor(times.length / 2)] ?? 0;
}
