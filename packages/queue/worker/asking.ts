import type { Cursor, NextWork, Wish } from "./protocol.ts";

export type AskingParts = {
  /** How many jobs more could be taken, without those that are asked for already. */
  readonly room: () => number;
  readonly onNext: (next: NextWork, wished: number) => void;
};

/** Calls that may bring jobs: together they ask for no more than there is room for. */
export class Asking {
  readonly #parts: AskingParts;
  #asked = 0;
  #underWay = 0;
  #cursor: Cursor | null = null;
  #inRings = false;

  constructor(parts: AskingParts) {
    this.#parts = parts;
  }

  /** How many jobs are asked for at this moment. */
  get asked(): number {
    return this.#asked;
  }

  get underWay(): boolean {
    return this.#underWay > 0;
  }

  /** Whether the queue counts this worker among those that accept jobs, or soon will. */
  get inRings(): boolean {
    return this.#inRings;
  }

  /** It was told that this worker takes no more. */
  left(): void {
    this.#inRings = false;
  }

  /** Where the queue says to go on looking. */
  goOnAt(cursor: Cursor): void {
    this.#cursor = cursor;
  }

  get wish(): Wish {
    const jobs = Math.max(0, this.#parts.room() - this.#asked);
    return this.#cursor === null ? { jobs } : { jobs, cursor: this.#cursor };
  }

  /** Makes a call with what is wished at this moment, and hands over what it brings. */
  async ask<Answer extends { readonly kind: string }>(
    call: (wish: Wish) => Promise<Answer>,
  ): Promise<Answer> {
    const { wish } = this;
    this.#underWay += 1;
    this.#asked += wish.jobs;
    if (wish.jobs > 0) this.#inRings = true;
    try {
      const answer = await call(wish);
      if (hasNext(answer)) {
        this.#cursor = answer.cursor;
        this.#parts.onNext(answer, wish.jobs);
      }
      return answer;
    } finally {
      this.#underWay -= 1;
      this.#asked -= wish.jobs;
    }
  }
}

function hasNext(answer: object): answer is NextWork {
  return "jobs" in answer;
}
