import type { Acknowledged } from "./protocol.ts";

export type Release = (
  attemptIds: readonly string[],
  reason: string,
) => Promise<{ readonly fenced: readonly string[] }>;

type Pending = {
  readonly attemptIds: string[];
  readonly answer: Promise<{ readonly fenced: readonly string[] }>;
};

/** Gives attempts back: all that are let go for one reason at one moment go in one call. */
export class Returns {
  readonly #release: Release;
  readonly #pending = new Map<string, Pending>();
  #underWay = 0;

  constructor(release: Release) {
    this.#release = release;
  }

  get underWay(): boolean {
    return this.#underWay > 0;
  }

  async give(attemptId: string, reason: string): Promise<Acknowledged> {
    this.#underWay += 1;
    try {
      const { attemptIds, answer } = this.#pending.get(reason) ?? this.#open(reason);
      attemptIds.push(attemptId);
      const { fenced } = await answer;
      return { kind: fenced.includes(attemptId) ? "fenced" : "ok" };
    } finally {
      this.#underWay -= 1;
    }
  }

  #open(reason: string): Pending {
    const attemptIds: string[] = [];
    const answer = Promise.resolve().then(() => {
      this.#pending.delete(reason);
      return this.#release(attemptIds, reason);
    });
    const pending = { attemptIds, answer };
    this.#pending.set(reason, pending);
    return pending;
  }
}
