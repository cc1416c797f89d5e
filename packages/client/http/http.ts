import * as z from "zod";
import { GleanerError, unknownAnswer, unreachable } from "./errors.ts";

/** Deadline in ms of a call that carries little. */
const answersWithinMs = 60_000;
const uploadedWithinMs = 10 * 60_000;
const mostTries = 6;
const longestPauseMs = 60_000;
const unreachablePauseMs = 1_000;
/** Refusals that end by themselves, soon. */
const passing: ReadonlySet<string> = new Set([
  "rate_limit_exceeded",
  "too_many_waiting_calls",
  "server_stopping",
]);

const failure = z.object({ error: z.object({ message: z.string(), code: z.string().nullish() }) });

export type HttpOptions = {
  /** The API's address, with `/v1` and without a slash at its end. */
  readonly url: string;
  readonly apiKey: string;
  readonly fetch?: typeof globalThis.fetch;
  /**
   * How long calls that can be repeated are repeated while the server cannot be reached, in ms. Default: a minute, in which a
   * server restarts.
   */
  readonly unreachableForMs?: number;
};

/** `withinMs`: how long the whole call may take. `accepts`: a status that is a success, too. */
export type CallOptions = RequestInit & { readonly withinMs?: number; readonly accepts?: number };

/** Why a call failed. `pauseMs`: after which it is worth a repeat; null: never. */
type Failure = { readonly error: GleanerError; readonly pauseMs: number | null };

/** OpenAI's HTTP API at one server, with one key. Every call rejects with a GleanerError. */
export class Http {
  readonly url: string;
  readonly #apiKey: string;
  readonly #fetch: typeof globalThis.fetch;
  readonly #unreachableForMs: number;

  constructor({ url, apiKey, fetch = globalThis.fetch, unreachableForMs = 60_000 }: HttpOptions) {
    this.url = url;
    this.#apiKey = apiKey;
    // Browsers refuse a fetch that is called as a method.
    this.#fetch = async (...call) => await fetch(...call);
    this.#unreachableForMs = unreachableForMs;
  }

  /** Resolves only with a successful response. Waits and tries again if the server asks for that. */
  async send(path: string, options: CallOptions = {}): Promise<Response> {
    const unreachableUntil = Date.now() + (canRepeat(options) ? this.#unreachableForMs : 0);
    for (let tries = 1; ; tries++) {
      const answer = await this.#try(path, options);
      if (answer instanceof Response) return answer;
      const { error, pauseMs } = answer;
      const isLast =
        error.code === unreachable ? Date.now() + unreachablePauseMs > unreachableUntil : tries >= mostTries;
      if (pauseMs === null || isLast) throw this.explain(error);
      await sleep(pauseMs, options.signal);
    }
  }

  /** The parsed answer of a call. */
  async get<Schema extends z.ZodType>(
    path: string,
    schema: Schema,
    options?: CallOptions,
  ): Promise<z.output<Schema>> {
    return await this.parse(await this.send(path, options), schema);
  }

  /** The same with a body of JSON. */
  async post<Schema extends z.ZodType>(
    path: string,
    body: object,
    schema: Schema,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<z.output<Schema>> {
    return await this.parse(await this.send(path, jsonCall(body, headers)), schema);
  }

  /** The same with a form. */
  async postFile<Schema extends z.ZodType>(
    path: string,
    form: FormData,
    schema: Schema,
  ): Promise<z.output<Schema>> {
    // Not every fetch knows this FormData, so it gets bytes.
    const encoded = new Response(form);
    const headers = { "content-type": encoded.headers.get("content-type") ?? "" };
    const init = { method: "POST", body: await encoded.arrayBuffer(), headers, withinMs: uploadedWithinMs };
    return await this.parse(await this.send(path, init), schema);
  }

  /** The whole body of a response. */
  async read(response: Response): Promise<Uint8Array<ArrayBuffer>> {
    try {
      return new Uint8Array(await response.arrayBuffer());
    } catch (error) {
      throw this.explain(unreachableError(this.url, error));
    }
  }

  /** The body of a response, parsed. */
  async parse<Schema extends z.ZodType>(response: Response, schema: Schema): Promise<z.output<Schema>> {
    return this.parseText(new TextDecoder().decode(await this.read(response)), schema);
  }

  /** Parses JSON of the server's. */
  parseText<Schema extends z.ZodType>(text: string, schema: Schema): z.output<Schema> {
    try {
      return schema.parse(JSON.parse(text));
    } catch (error) {
      const message = `${this.url} answers in a form that this version of Gleaner does not know. Is it the right address?`;
      throw this.explain(new GleanerError(message, unknownAnswer, null, { cause: error }));
    }
  }

  /** The error to throw. Programs with other words for their users override it. */
  protected explain(error: GleanerError): Error {
    return error;
  }

  async #try(
    path: string,
    { withinMs = answersWithinMs, accepts, ...init }: CallOptions,
  ): Promise<Response | Failure> {
    const headers = { ...(init.headers as Record<string, string>), authorization: `Bearer ${this.#apiKey}` };
    const deadline = AbortSignal.timeout(withinMs);
    const signal = init.signal == null ? deadline : AbortSignal.any([init.signal, deadline]);
    try {
      const response = await this.#fetch(`${this.url}${path}`, { ...init, headers, signal });
      return response.ok || response.status === accepts ? response : await this.#failureOf(response);
    } catch (error) {
      init.signal?.throwIfAborted();
      return { error: unreachableError(this.url, error), pauseMs: unreachablePauseMs };
    }
  }

  async #failureOf(response: Response): Promise<Failure> {
    const { status } = response;
    const said = failure.safeParse(await response.json().catch(() => null));
    if (!said.success) {
      const message = `${this.url} answers with HTTP status ${String(status)}, and not as Gleaner does. Is it the right address?`;
      return betweenStatuses.has(status)
        ? { error: new GleanerError(message, unreachable, status), pauseMs: unreachablePauseMs }
        : { error: new GleanerError(message, unknownAnswer, status), pauseMs: null };
    }
    const { message, code } = said.data.error;
    const pauseMs = Number(response.headers.get("retry-after") ?? "1") * 1_000;
    const passes = passing.has(code ?? "") && pauseMs <= longestPauseMs;
    return { error: new GleanerError(message, code ?? "", status), pauseMs: passes ? pauseMs : null };
  }
}

/** A server that starts answers so, and so does a proxy whose server is away for a moment. */
const betweenStatuses: ReadonlySet<number> = new Set([502, 503, 504]);

/** Whether the server does nothing twice if it gets the call twice. */
function canRepeat({ method = "GET", headers }: CallOptions): boolean {
  return method !== "POST" || new Headers(headers).has("idempotency-key");
}

function jsonCall(body: object, headers: Readonly<Record<string, string>>): CallOptions {
  return {
    method: "POST",
    body: JSON.stringify(body),
    headers: { "content-type": "application/json", ...headers },
  };
}

const pageHint =
  "An administrator has to allow pages of other servers, too: in the console, API keys, Change pages.";

function unreachableError(url: string, cause: unknown): GleanerError {
  const reason = networkReason(cause).replace(/\.$/, "");
  const message = `${url} cannot be reached: ${reason}. Check that the server runs and that this is its address.`;
  // A browser does not tell a page that the server refuses it.
  const hint = "document" in globalThis ? ` ${pageHint}` : "";
  return new GleanerError(message + hint, unreachable, null, { cause });
}

/** Why a call over the network failed, as a clause. The cause of Node's `fetch failed` is the reason. */
function networkReason(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error.name === "TimeoutError") return "no answer in time";
  const { cause } = error;
  if (!(cause instanceof Error) || cause.message === "") return error.message;
  // OpenSSL's own message has a place in its source in it.
  const { code, reason } = cause as Error & { readonly code?: unknown; readonly reason?: unknown };
  if (typeof reason !== "string" || typeof code !== "string" || !code.startsWith("ERR_SSL_"))
    return cause.message;
  const hint = code === "ERR_SSL_WRONG_VERSION_NUMBER" ? ". A server without TLS has an http:// address" : "";
  return `TLS fails with "${reason}"${hint}`;
}

/** Rejects with the signal's reason when it aborts. */
export async function sleep(ms: number, signal?: AbortSignal | null): Promise<void> {
  signal?.throwIfAborted();
  await new Promise<void>((resolve, reject) => {
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", stop);
      resolve();
    }, ms);
    const stop = (): void => {
      clearTimeout(timer);
      reject(signal?.reason as Error);
    };
    signal?.addEventListener("abort", stop, { once: true });
  });
}
