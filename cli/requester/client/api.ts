import { setTimeout as sleep } from "node:timers/promises";
import * as z from "zod";
import { networkReason } from "../../../launch/core/network-reason.ts";
import { fetchPinned } from "../../../launch/core/pinned-fetch.ts";
import { CommandError, exitFailed, exitUnreachable } from "../../command/command.ts";
import { findLogin, type Login } from "./login-file.ts";

/** The end of each usage. */
export const exitCodes =
  "Exit codes: 0 done, 1 refused or failed, 2 wrong arguments, 3 the server does not answer.";

/** Deadline in ms of a call that carries little. */
const answersWithinMs = 60_000;
const mostTries = 6;
const longestPauseMs = 60_000;
/** Refusals that end by themselves, soon. */
const passing: ReadonlySet<string> = new Set([
  "rate_limit_exceeded",
  "too_many_waiting_calls",
  "server_stopping",
]);

const failure = z.object({ error: z.object({ message: z.string(), code: z.string().nullish() }) });

/** The server refused a call. */
export class ApiRefusal extends CommandError {
  readonly status: number;
  readonly code: string;

  constructor(message: string, status: number, code: string) {
    super(message, exitFailed);
    this.status = status;
    this.code = code;
  }
}

type CallOptions = RequestInit & { readonly withinMs?: number };

/** OpenAI's HTTP API at one server, with one key. Every call rejects with a CommandError that says what to do. */
export class Api {
  readonly url: string;
  readonly #apiKey: string;
  readonly #fetch: typeof fetch;

  constructor({ url, apiKey, pin }: Login) {
    this.url = url;
    this.#apiKey = apiKey;
    this.#fetch = fetchPinned(pin, answersWithinMs);
  }

  /** Resolves only with a successful response. Waits and tries again if the server asks for that. */
  async send(path: string, { withinMs = answersWithinMs, ...init }: CallOptions = {}): Promise<Response> {
    for (let attempt = 1; ; attempt++) {
      const response = await this.#once(path, { signal: AbortSignal.timeout(withinMs), ...init });
      if (response.ok) return response;
      const refusal = await this.#refusalOf(response);
      const pauseMs = Number(response.headers.get("retry-after") ?? "1") * 1_000;
      if (!passing.has(refusal.code) || attempt === mostTries || !(pauseMs <= longestPauseMs)) throw refusal;
      await sleep(pauseMs);
    }
  }

  /** The parsed answer of a call. */
  async get<Schema extends z.ZodType>(path: string, schema: Schema): Promise<z.output<Schema>> {
    return await this.#parsed(await this.send(path), schema);
  }

  /** The same with a body of JSON. */
  async post<Schema extends z.ZodType>(
    path: string,
    body: object,
    schema: Schema,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<z.output<Schema>> {
    const type = { "content-type": "application/json" };
    const init = { method: "POST", body: JSON.stringify(body), headers: { ...type, ...headers } };
    return await this.#parsed(await this.send(path, init), schema);
  }

  /** The same with a form. */
  async postFile<Schema extends z.ZodType>(
    path: string,
    form: FormData,
    schema: Schema,
  ): Promise<z.output<Schema>> {
    // The fetch for pinned servers does not know this FormData, so it gets bytes.
    const encoded = new Response(form);
    const headers = { "content-type": encoded.headers.get("content-type") ?? "" };
    const init = { method: "POST", body: await encoded.arrayBuffer(), headers, withinMs: uploadedWithinMs };
    return await this.#parsed(await this.send(path, init), schema);
  }

  /** The whole body of a response. */
  async read(response: Response): Promise<Buffer> {
    try {
      return Buffer.from(await response.arrayBuffer());
    } catch (error) {
      throw this.#unreachable(error);
    }
  }

  async #once(path: string, init: RequestInit): Promise<Response> {
    const headers = { ...(init.headers as Record<string, string>), authorization: `Bearer ${this.#apiKey}` };
    try {
      return await this.#fetch(`${this.url}${path}`, { ...init, headers });
    } catch (error) {
      throw this.#unreachable(error);
    }
  }

  async #parsed<Schema extends z.ZodType>(response: Response, schema: Schema): Promise<z.output<Schema>> {
    return parseAnswer((await this.read(response)).toString(), schema, this.url);
  }

  #unreachable(error: unknown): CommandError {
    return new CommandError(
      `${this.url} cannot be reached: ${networkReason(error).replace(/\.$/, "")}. Check that the server runs and that ` +
        "this is its address. To use another one: gleaner login --url URL",
      exitUnreachable,
    );
  }

  async #refusalOf(response: Response): Promise<ApiRefusal> {
    const { status } = response;
    const said = failure.safeParse(await response.json().catch(() => null));
    if (!said.success) {
      const message = `${this.url} answers with HTTP status ${String(status)}, and not as Gleaner does. Is it the right address?`;
      return new ApiRefusal(message, status, "");
    }
    const { message, code } = said.data.error;
    return new ApiRefusal(`${message}${adviceFor(status, code ?? "")}`, status, code ?? "");
  }
}

const uploadedWithinMs = 10 * 60_000;

function adviceFor(status: number, code: string): string {
  if (status === 401) return " Log in with another key: gleaner login";
  if (code === "model_not_found") return " See the models with: gleaner catalog";
  if (code === "insufficient_quota") return " An administrator gives the key more credits.";
  return "";
}

/** Throws a CommandError if the text is not what this version expects. */
export function parseAnswer<Schema extends z.ZodType>(
  text: string,
  schema: Schema,
  url: string,
): z.output<Schema> {
  try {
    return schema.parse(JSON.parse(text));
  } catch {
    throw new CommandError(
      `${url} answers in a form that this version of Gleaner does not know. Is it the right address?`,
    );
  }
}

/** The API of the person's login. */
export async function openApi(): Promise<Api> {
  return new Api(await findLogin(process.env));
}
