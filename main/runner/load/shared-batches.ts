import type { LlamaContextSequence } from "node-llama-cpp";
import { BatchSharing } from "./batch-sharing.ts";

/** A token for its job; `other`: a slice of a prompt, or a change of a sequence. */
type StepKind = "token" | "other";

type Batch = {
  /** The jobs that were ready when it began. */
  readonly ready: number;
  readonly kinds: readonly StepKind[];
  readonly startedAt: number;
};

/**
 * Keeps jobs side by side in step: each batch of their context has a step of every job, or they take turns where that is faster
 * (`BatchSharing`). By itself the library begins the next batch as soon as the first job is ready for it. Then two jobs never
 * share a batch, three of four do, and a sequence that has to be cleared waits until the other jobs end.
 */
export class SharedBatches {
  readonly #sharing: BatchSharing;
  /** Steps of the present batch that have not ended. */
  #running = 0;
  #batch: Batch | null = null;
  #waiting: readonly { readonly kind: StepKind; readonly begin: () => void }[] = [];

  constructor(sharing = new BatchSharing()) {
    this.#sharing = sharing;
  }

  /** Runs a step in one of the next batches, when all steps of the batch before have ended. */
  async step<T>(run: () => Promise<T>, kind: StepKind = "other"): Promise<T> {
    if (this.#running === 0 && this.#waiting.length === 0) this.#running = 1;
    else
      await new Promise<void>((begin) => {
        this.#waiting = [...this.#waiting, { kind, begin }];
      });
    try {
      return await run();
    } finally {
      this.#running -= 1;
      if (this.#running === 0) this.#ended();
    }
  }

  /** Takes the tokens from a place on out of a sequence, in a step. */
  async eraseFrom(sequence: LlamaContextSequence, start: number): Promise<void> {
    const { nextTokenIndex: end } = sequence;
    if (end > start) await this.step(() => sequence.eraseContextTokenRanges([{ start, end }]));
  }

  /** The values of a generator, each of them a step for one token. Ends if the signal was aborted before a step. */
  async *each<T>(values: AsyncGenerator<T, unknown>, signal: AbortSignal): AsyncGenerator<T, void> {
    try {
      for (;;) {
        const next = await this.step(async () => (signal.aborted ? null : await values.next()), "token");
        if (next === null || next.done === true) return;
        yield next.value;
      }
    } finally {
      await values.return(undefined);
    }
  }

  #ended(): void {
    const batch = this.#batch;
    this.#batch = null;
    // Slices of prompts have different lengths, so their times can't be compared.
    if (batch?.kinds.every((kind) => kind === "token") === true)
      this.#sharing.measured(batch.ready, batch.kinds.length, performance.now() - batch.startedAt);
    // Later, so that the job of this step can join, and the library's batch has ended.
    if (this.#waiting.length > 0) setImmediate(() => this.#begin());
  }

  #begin(): void {
    const ready = this.#waiting.length;
    const steps = this.#waiting.slice(0, this.#sharing.jobsInBatch(ready));
    this.#waiting = this.#waiting.slice(steps.length);
    this.#running = steps.length;
    this.#batch = { ready, kinds: steps.map(({ kind }) => kind), startedAt: performance.now() };
    for (const { begin } of steps) begin();
  }
}
