import type { ConvexClient } from "convex/browser";
import { makeFunctionReference } from "convex/server";
import { ConvexError } from "convex/values";
import * as z from "zod";
import { GleanerError, unknownAnswer } from "./http/errors.ts";
import { type JobStatus, jobStatuses } from "./http/objects.ts";
import { noText, type Piece, type Position, type StreamedText, withPieces } from "./streamed-text.ts";

/** A job at a moment. */
export type JobUpdate = {
  readonly status: JobStatus;
  /** The number of its attempt, from 1; 0 while no device has it. */
  readonly attempt: number;
  /** Its text so far. It is shorter than before if another device begins again. */
  readonly text: string;
  readonly error: { readonly code: string; readonly message: string } | null;
  /** Its cost in micro-credits; null until it is paid. */
  readonly priceMicro: bigint | null;
};

type View = Omit<JobUpdate, "text"> & {
  readonly attemptId: string | null;
  readonly chunks: readonly Piece[];
  readonly result: { readonly text?: string } | null;
};

type OfJob = { readonly apiKey: string; readonly jobId: string };

const watchFunction = makeFunctionReference<"query", OfJob & { after?: Position }, View>("requests:watch");
const followFunction = makeFunctionReference<"mutation", OfJob, null>("requests:follow");

/** The server streams a job's text for two minutes after each call. */
const followEveryMs = 60_000;
/** After so many pieces a subscription begins behind them, so that its answers stay short. */
const mostPieces = 20;

const refusal = z.object({ code: z.string(), message: z.string() });

/**
 * Yields a job's state now, and then after each change until its end. Updates that come while the reader is busy are joined.
 * Rejects with a GleanerError if the key may not see the job. A lost connection is made again.
 * @param signal ends the watch with its reason.
 */
export async function* watchJob(
  client: ConvexClient,
  job: OfJob,
  signal: AbortSignal,
): AsyncGenerator<JobUpdate, undefined> {
  signal.throwIfAborted();
  const subscription = new Subscription(client, job, signal);
  try {
    for (;;) {
      const update = await subscription.next();
      yield update;
      if (isFinal(update.status)) return undefined;
    }
  } finally {
    subscription.close();
  }
}

export function isFinal(status: JobStatus): boolean {
  return status !== "queued" && status !== "running";
}

/** The subscription of one watcher. */
class Subscription {
  readonly #client: ConvexClient;
  readonly #job: OfJob;
  readonly #signal: AbortSignal;
  readonly #following: ReturnType<typeof setInterval>;
  #unsubscribe: () => void = () => undefined;
  #streamed: StreamedText = noText;
  #latest: JobUpdate | null = null;
  /** Whether the reader has not got the latest update. */
  #isNew = false;
  #failure: Error | null = null;
  #wake: () => void = () => undefined;

  constructor(client: ConvexClient, job: OfJob, signal: AbortSignal) {
    this.#client = client;
    this.#job = job;
    this.#signal = signal;
    signal.addEventListener("abort", this.#stop, { once: true });
    this.#follow();
    this.#following = setInterval(() => this.#follow(), followEveryMs);
    this.#subscribe();
  }

  async next(): Promise<JobUpdate> {
    for (;;) {
      this.#signal.throwIfAborted();
      if (this.#failure !== null) throw this.#failure;
      if (this.#isNew && this.#latest !== null) {
        this.#isNew = false;
        return this.#latest;
      }
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }

  close(): void {
    clearInterval(this.#following);
    this.#signal.removeEventListener("abort", this.#stop);
    this.#unsubscribe();
  }

  readonly #stop = (): void => this.#wake();

  #follow(): void {
    // Without it the text comes at the end. The subscription itself tells why a job cannot be watched.
    this.#client.mutation(followFunction, this.#job).catch(() => undefined);
  }

  #subscribe(): void {
    this.#unsubscribe();
    const { position } = this.#streamed;
    const args = position === null ? this.#job : { ...this.#job, after: position };
    this.#unsubscribe = this.#client.onUpdate(
      watchFunction,
      args,
      (view) => this.#take(view),
      (error) => this.#fail(error),
    );
  }

  #take({ attemptId, chunks, result, ...state }: View): void {
    const { status, attempt, error, priceMicro } = state;
    if (!jobStatuses.includes(status)) {
      this.#fail(
        new GleanerError(`The job has a status that this version does not know: ${status}.`, unknownAnswer),
      );
      return;
    }
    this.#streamed = withPieces(this.#streamed, attemptId, chunks);
    const update = { status, attempt, text: result?.text ?? this.#streamed.text, error, priceMicro };
    if (!isSame(this.#latest, update)) {
      this.#latest = update;
      this.#isNew = true;
      this.#wake();
    }
    if (chunks.length >= mostPieces && !isFinal(status)) this.#subscribe();
  }

  #fail(error: Error): void {
    const said = error instanceof ConvexError ? refusal.safeParse(error.data).data : undefined;
    this.#failure =
      said === undefined ? error : new GleanerError(said.message, said.code, null, { cause: error });
    this.#wake();
  }
}

function isSame(a: JobUpdate | null, b: JobUpdate): boolean {
  return (
    a !== null &&
    a.status === b.status &&
    a.attempt === b.attempt &&
    a.text === b.text &&
    a.priceMicro === b.priceMicro
  );
}
