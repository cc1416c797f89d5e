import { AnswerFile, type BatchAnswer } from "./answers.ts";
import { GleanerError } from "./errors.ts";
import { type Content, uploadFile } from "./files.ts";
import { type Http, sleep } from "./http.ts";
import {
  type Batch,
  type BatchEndpoint,
  type BatchEstimate,
  batchEstimate,
  batchList,
  batchObject,
} from "./objects.ts";
import { randomKey } from "./random-key.ts";
import { type Requirements, requirementsHeaders } from "./requests.ts";
import { Watchers } from "./watchers.ts";

/** One request of a batch. Its `id` is repeated in its answer; the ids of a batch differ. */
export type BatchLine = { readonly id: string; readonly body: object };

export type BatchOptions = {
  /** The call of every line. Default: chat completions. */
  readonly endpoint?: BatchEndpoint;
  /** The time until which it is done, from `1h` to `7d`. Default: `24h`. */
  readonly within?: string;
  /** Requirements on the device of each line, in addition to those of the key. */
  readonly requires?: Requirements;
  readonly metadata?: Readonly<Record<string, string>>;
  /** The name of the uploaded file. */
  readonly fileName?: string;
  /** Called before each part of a large file is uploaded. */
  readonly onPart?: (part: number, parts: number) => void;
};

/** `sampleOf`: the requests are a sample of so many, of one batch or several, and the estimate is for all of them. */
export type EstimateOptions = BatchOptions & { readonly sampleOf?: number };

/** A part of a list. `after`: the id of the last item of the page before. */
export type Page = { readonly limit?: number; readonly after?: string };

const askEveryMs = 2_000;

/** Batches of up to 50,000 requests. */
export class Batches {
  readonly #http: Http;
  readonly #watchers: Watchers;

  /** @param watchers ends those of the batches, too. */
  constructor(http: Http, watchers = new Watchers()) {
    this.#http = http;
    this.#watchers = watchers;
  }

  /** Uploads the requests and submits them as a batch. `lines` may be a file in the format of OpenAI's batches. */
  async create(lines: readonly BatchLine[] | Content, options: BatchOptions = {}): Promise<Batch> {
    const { metadata } = options;
    const fileId = await this.#upload(lines, options);
    const asked = { ...askedOf(fileId, options), ...(metadata === undefined ? {} : { metadata }) };
    return await this.#http.post("/batches", asked, batchObject, {
      ...requirementsHeaders(options.requires),
      // A call that is repeated after a lost connection finds its batch.
      "idempotency-key": randomKey(),
    });
  }

  /** Says what a batch would cost and when it would end, and starts nothing. */
  async estimate(
    lines: readonly BatchLine[] | Content,
    options: EstimateOptions = {},
  ): Promise<BatchEstimate> {
    const { sampleOf } = options;
    const fileId = await this.#upload(lines, options);
    const asked = {
      ...askedOf(fileId, options),
      ...(sampleOf === undefined ? {} : { sample_of: sampleOf }),
    };
    try {
      return await this.#http.post(
        "/batches/estimate",
        asked,
        batchEstimate,
        requirementsHeaders(options.requires),
      );
    } finally {
      await this.#http.send(`/files/${encodeURIComponent(fileId)}`, { method: "DELETE" });
    }
  }

  async get(batchId: string): Promise<Batch> {
    return await this.#http.get(pathOfBatch(batchId), batchObject);
  }

  /** The key's batches, newest first. */
  async list(page: Page = {}): Promise<{ readonly data: readonly Batch[]; readonly has_more: boolean }> {
    return await this.#http.get(`/batches${pageQuery(page)}`, batchList);
  }

  /** Ends a batch early. The answers that are there are kept. */
  async cancel(batchId: string): Promise<Batch> {
    return await this.#http.post(`${pathOfBatch(batchId)}/cancel`, {}, batchObject);
  }

  /** Yields a batch now, and then whenever its counts, its status, why it waits or its forecast have changed, until its end. */
  watch(batchId: string, signal?: AbortSignal): AsyncGenerator<Batch, undefined> {
    return this.#watchers.run(signal, (either) => this.#states(batchId, either));
  }

  async *#states(batchId: string, signal: AbortSignal): AsyncGenerator<Batch, undefined> {
    let before = "";
    for (;;) {
      const batch = await this.#http.get(pathOfBatch(batchId), batchObject, { signal });
      const now = JSON.stringify([batch.status, batch.request_counts, batch.waits_for, batch.forecast]);
      if (now !== before) yield batch;
      if (hasEnded(batch)) return undefined;
      before = now;
      await sleep(askEveryMs, signal);
    }
  }

  /**
   * Yields the end of each line in the order in which they end, also while the batch runs. Rejects with a GleanerError if the batch
   * did not start.
   */
  answers(batchId: string, signal?: AbortSignal): AsyncGenerator<BatchAnswer, undefined> {
    return this.#watchers.run(signal, (either) => this.#ends(batchId, either));
  }

  async *#ends(batchId: string, signal: AbortSignal): AsyncGenerator<BatchAnswer, undefined> {
    const files = [new AnswerFile(this.#http), new AnswerFile(this.#http)];
    for await (const batch of this.#states(batchId, signal)) {
      if (batch.status === "failed") {
        const why = batch.errors?.data[0]?.message ?? "its lines were refused";
        throw new GleanerError(`${batchId} did not start: ${why}`, "batch_failed");
      }
      for (const [index, fileId] of [batch.output_file_id, batch.error_file_id].entries()) {
        if (fileId !== null) yield* files[index]?.newAnswers(fileId, signal) ?? [];
      }
    }
    return undefined;
  }

  async #upload(lines: readonly BatchLine[] | Content, options: BatchOptions): Promise<string> {
    const { endpoint = defaultEndpoint, fileName = "requests.jsonl", onPart } = options;
    const content = "chunks" in lines ? lines : contentOf(lines, endpoint);
    return await uploadFile(this.#http, fileName, content, onPart);
  }
}

const defaultEndpoint: BatchEndpoint = "/v1/chat/completions";

function askedOf(fileId: string, { endpoint = defaultEndpoint, within = "24h" }: BatchOptions): object {
  return { input_file_id: fileId, endpoint, completion_window: within };
}

function pathOfBatch(id: string): string {
  return `/batches/${encodeURIComponent(id)}`;
}

/** Whether nothing of the batch changes anymore. */
export function hasEnded({ status }: Batch): boolean {
  return status === "completed" || status === "failed" || status === "expired" || status === "cancelled";
}

export function pageQuery({ limit, after }: Page): string {
  const query = new URLSearchParams();
  if (limit !== undefined) query.set("limit", String(limit));
  if (after !== undefined) query.set("after", after);
  return query.size === 0 ? "" : `?${query.toString()}`;
}

function contentOf(lines: readonly BatchLine[], endpoint: BatchEndpoint): Content {
  const encoder = new TextEncoder();
  const encoded = (line: BatchLine): Uint8Array => {
    const { id, body } = line;
    return encoder.encode(`${JSON.stringify({ custom_id: id, method: "POST", url: endpoint, body })}\n`);
  };
  let bytes = 0;
  for (const line of lines) bytes += encoded(line).length;
  return {
    bytes,
    // Encoded once more, so that only one part is in memory.
    chunks: (async function* () {
      for (const line of lines) yield await Promise.resolve(encoded(line));
    })(),
  };
}
