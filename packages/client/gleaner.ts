import { ConvexClient } from "convex/browser";
import type OpenAI from "openai";
import * as z from "zod";
import { Batches, type Page, pageQuery } from "./http/batches.ts";
import { closed, GleanerError } from "./http/errors.ts";
import { Http } from "./http/http.ts";
import { deletedRating, type Job, jobList, jobObject, type JobRating, ratingObject } from "./http/objects.ts";
import { randomKey } from "./http/random-key.ts";
import { type Requirements, requirementsHeaders } from "./http/requests.ts";
import { Watchers } from "./http/watchers.ts";
import { type JobUpdate, watchJob } from "./watch.ts";

/** Fields of Gleaner's that OpenAI's types do not have: docs/api.md describes them. */
type Extras = {
  readonly grammar?: string;
  readonly top_k?: number;
  readonly min_p?: number;
  readonly repeat_penalty?: number;
  /** Second opinions: further idle devices answer, too. */
  readonly x_gleaner?: Votes;
};

/**
 * How many devices answer, from 1 to 5. Their answers are compared, so the temperature must be above 0. `escalate`: whether a larger
 * model is asked if they disagree. Default: true.
 */
export type Votes = { readonly votes: number; readonly escalate?: boolean };

/** How the answer to a request with votes was found. `confidence`: null if a larger model gave it. */
export type Opinion = {
  readonly votes: number;
  readonly agreed: number;
  readonly confidence: number | null;
  readonly escalated: boolean;
};
type WithOpinion = { readonly x_gleaner?: Opinion };

/** The calls that make jobs: the type of a request and of its answer. */
type Calls = {
  "chat/completions": [
    OpenAI.ChatCompletionCreateParamsNonStreaming & Extras,
    OpenAI.ChatCompletion & WithOpinion,
  ];
  completions: [OpenAI.CompletionCreateParamsNonStreaming & Extras, OpenAI.Completion & WithOpinion];
  embeddings: [OpenAI.EmbeddingCreateParams, OpenAI.CreateEmbeddingResponse];
};
export type Call = keyof Calls;
export type RequestOf<C extends Call> = Calls[C][0];
export type AnswerOf<C extends Call> = Calls[C][1];

export type GleanerOptions = {
  /** The server's address, such as `https://gleaner.example.org`. `/v1` at its end may be there or not. */
  readonly url: string;
  readonly apiKey: string;
  /** A `fetch` of your own, such as one with a proxy. */
  readonly fetch?: typeof globalThis.fetch;
};

export type SubmitOptions = {
  /** A later call with this key finds the same job. By default each call makes a job of its own, once. */
  readonly idempotencyKey?: string;
  /** Before or after other jobs. The organization sets what it costs. Default: the request's `service_tier`, else normal. */
  readonly priority?: keyof typeof serviceTiers;
  /** What the device must have, in addition to the key's own requirements. */
  readonly requires?: Requirements;
  /** From 10 to 604,800 seconds, after which a job without an answer expires and costs nothing. Default: a day. */
  readonly expiresInSeconds?: number;
  readonly signal?: AbortSignal;
};

/** OpenAI's names for the priorities of jobs. */
const serviceTiers = { low: "flex", normal: "default", high: "priority" } as const;

/** A rating as it is given. Only a bad one has a reason, and can be disputed. */
export type Rating =
  | { readonly rating: "good"; readonly comment?: string }
  | {
      readonly rating: "bad";
      readonly reason?: RatingReason;
      /** Up to 1,000 characters. Administrators read it. */
      readonly comment?: string;
      readonly dispute?: boolean;
    };
export type RatingReason =
  "wrong" | "incomplete" | "off_topic" | "format" | "repetitive" | "harmful" | "other";

const notFound = 404;
/** One wait of a call. Shorter than the silence after which Node and proxies end a call. */
const waitSeconds = 30;
const withinMs = (waitSeconds + 60) * 1_000;

/** Gleaner with one API key: submit jobs, watch them live, get their answers, and run batches. */
export class Gleaner {
  readonly batches: Batches;
  readonly #http: Http;
  readonly #apiKey: string;
  readonly #site: Http;
  #convex: Promise<ConvexClient> | null = null;
  readonly #watchers = new Watchers();

  constructor({ url, apiKey, fetch }: GleanerOptions) {
    const site = url.replace(/\/+$/, "").replace(/\/v1$/, "");
    const options = { apiKey, ...(fetch === undefined ? {} : { fetch }) };
    this.#apiKey = apiKey;
    this.#site = new Http({ ...options, url: site });
    this.#http = new Http({ ...options, url: `${site}/v1` });
    this.batches = new Batches(this.#http, this.#watchers);
  }

  /**
   * Submits a job, and does not wait for it. A lost connection makes no second job. A request with votes, several choices, several
   * prompts or many inputs is several jobs: it has an id of its own, and `jobs` has theirs.
   */
  async submit<C extends Call>(call: C, request: RequestOf<C>, options: SubmitOptions = {}): Promise<Job> {
    const response = await this.#post(call, request, options);
    if (response.status === 202) return await this.#http.parse(response, jobObject);
    // A repeated call gets the answer of a job that has ended.
    await response.body?.cancel();
    return await this.job(response.headers.get("x-gleaner-job") ?? "");
  }

  /** Submits a job, and resolves to its answer, however long that takes. Rejects with a GleanerError if it fails. */
  async ask<C extends Call>(
    call: C,
    request: RequestOf<C>,
    options: SubmitOptions = {},
  ): Promise<AnswerOf<C>> {
    const { id } = await this.submit(call, request, options);
    return await this.answer<C>(id, options.signal);
  }

  async #post<C extends Call>(
    call: C,
    request: RequestOf<C>,
    { idempotencyKey = randomKey(), priority, requires, expiresInSeconds, signal }: SubmitOptions,
  ): Promise<Response> {
    const tier = priority === undefined ? {} : { service_tier: serviceTiers[priority] };
    return await this.#http.send(`/${call}`, {
      method: "POST",
      body: JSON.stringify({ ...request, ...tier }),
      headers: {
        "content-type": "application/json",
        "idempotency-key": idempotencyKey,
        ...requirementsHeaders(requires),
        ...(expiresInSeconds === undefined ? {} : { "gleaner-expires-in": String(expiresInSeconds) }),
        prefer: "respond-async",
      },
      signal: signal ?? null,
    });
  }

  /** Waits for a job's end, and resolves to its answer. Rejects with a GleanerError if it has failed. */
  async answer<C extends Call>(jobId: string, signal?: AbortSignal): Promise<AnswerOf<C>> {
    for (;;) {
      const response = await this.#http.send(`${pathOf(jobId)}/result`, {
        headers: { prefer: `wait=${String(waitSeconds)}` },
        withinMs,
        signal: signal ?? null,
      });
      if (response.status !== 202) return (await this.#http.parse(response, z.unknown())) as AnswerOf<C>;
      await response.body?.cancel();
    }
  }

  /**
   * Yields a job's state now, and then after each change until its end: text as it is written, another device, the cost. It
   * subscribes over a WebSocket, so it needs one: not for Convex functions, whose pages can watch instead. Several jobs of one request
   * are watched one by one.
   */
  watch(jobId: string, signal?: AbortSignal): AsyncGenerator<JobUpdate, undefined> {
    return this.#watchers.run(signal, (either) => this.#states(jobId, either));
  }

  async *#states(jobId: string, signal: AbortSignal): AsyncGenerator<JobUpdate, undefined> {
    this.#convex ??= this.#connect();
    // A server that could not be reached is asked again by the next watcher.
    this.#convex.catch(() => (this.#convex = null));
    yield* watchJob(await this.#convex, { apiKey: this.#apiKey, jobId }, signal);
    return undefined;
  }

  async job(jobId: string): Promise<Job> {
    return await this.#http.get(pathOf(jobId), jobObject);
  }

  /** The key's jobs, newest first. `after`: the id of a page's last job. */
  async jobs(page: Page = {}): Promise<{ readonly data: readonly Job[]; readonly has_more: boolean }> {
    return await this.#http.get(`/jobs${pageQuery(page)}`, jobList);
  }

  /** A job that has been canceled can be canceled again. Rejects if it has ended otherwise. */
  async cancel(jobId: string): Promise<Job> {
    return await this.#http.post(`${pathOf(jobId)}/cancel`, {}, jobObject);
  }

  /**
   * Says whether the answer of a job was good. A later call replaces it. With `dispute` an administrator looks at a bad answer, and may
   * give its price back.
   */
  async rate(jobId: string, rating: Rating): Promise<JobRating> {
    return await this.#http.post(`${pathOf(jobId)}/rating`, rating, ratingObject);
  }

  /** The rating of a job. Null if the job has no rating, or does not exist. */
  async rating(jobId: string): Promise<JobRating | null> {
    try {
      return await this.#http.get(`${pathOf(jobId)}/rating`, ratingObject);
    } catch (error) {
      if (error instanceof GleanerError && error.status === notFound) return null;
      throw error;
    }
  }

  /** Removes the rating of a job, and its open dispute. Rejects if an administrator has decided that. */
  async removeRating(jobId: string): Promise<void> {
    await this.#http.parse(
      await this.#http.send(`${pathOf(jobId)}/rating`, { method: "DELETE" }),
      deletedRating,
    );
  }

  /** Closes the connection of the watchers. They end with an error, and so do those of batches. */
  async close(): Promise<void> {
    const convex = this.#convex;
    this.#convex = null;
    this.#watchers.end(new GleanerError("The client was closed.", closed));
    await (await convex)?.close();
  }

  /** The server says where its deployment is. */
  async #connect(): Promise<ConvexClient> {
    const { deploymentUrl } = await this.#site.get("/config", z.object({ deploymentUrl: z.string() }));
    // Errors are thrown. Convex would also print each of them, and each lost connection.
    return new ConvexClient(deploymentUrl, { unsavedChangesWarning: false, logger: false });
  }
}

function pathOf(jobId: string): string {
  return `/jobs/${encodeURIComponent(jobId)}`;
}
