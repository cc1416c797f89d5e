import type { IncomingMessage } from "node:http";
import { addressKind } from "./address-kind.ts";
import { ForbiddenAddress, type KindOf, SourceConnection } from "./source-connection.ts";
import { fetchable } from "./source-url.ts";

/** A byte range without `end`, and the validator of the file from the server's last answer. */
type RangeRequest = {
  readonly start: number;
  readonly end: number;
  readonly validator: string | null;
  readonly signal: AbortSignal;
};

export type RangeAnswer =
  | { readonly kind: "body"; readonly body: IncomingMessage; readonly validator: string | null }
  /** The server's file has changed since the first parts. */
  | { readonly kind: "changed" }
  | { readonly kind: "refused"; readonly why: string }
  | { readonly kind: "unreachable"; readonly why: string; readonly retryAfterMs: number | null };

export type InternetTimes = { readonly answerMs: number; readonly idleMs: number };

const maxRedirects = 5;
/** Hubs redirect to signed addresses, which stay valid for longer than this. */
const targetMs = 5 * 60_000;

type InternetOptions = {
  readonly times?: InternetTimes | undefined;
  /** For tests: allows sources on loopback, without TLS. */
  readonly localSources: boolean;
  readonly kindOf?: KindOf;
};

type Target = { readonly url: URL; readonly via: SourceConnection };

/**
 * One file on the internet or in the organization's network, fetched in ranges. Only over TLS, with few redirects and
 * time limits everywhere. A server on the internet cannot redirect into a private network.
 */
export class InternetSource {
  readonly times: InternetTimes;
  readonly #sizeBytes: number;
  readonly #localSources: boolean;
  readonly #kindOf: KindOf;
  /** For the catalog's own address, which may be private. */
  readonly #first: SourceConnection;
  /** For the targets of public servers. */
  readonly #outward: SourceConnection;
  readonly #source: Target;
  #remembered: { readonly target: Target; readonly until: number } | null = null;

  constructor(url: URL, sizeBytes: number, options: InternetOptions) {
    const { times = { answerMs: 30_000, idleMs: 30_000 }, localSources, kindOf = addressKind } = options;
    this.#sizeBytes = sizeBytes;
    this.times = times;
    this.#localSources = localSources;
    this.#kindOf = kindOf;
    this.#first = new SourceConnection(localSources ? "any" : "public and private", kindOf);
    this.#outward = new SourceConnection("public", kindOf);
    this.#source = { url, via: this.#first };
  }

  async ask(ask: RangeRequest): Promise<RangeAnswer> {
    const remembered =
      this.#remembered !== null && this.#remembered.until > performance.now()
        ? this.#remembered.target
        : null;
    if (remembered !== null) {
      const answer = await this.#follow(remembered, ask);
      if (answer.kind !== "refused") return answer;
      this.#remembered = null;
    }
    return await this.#follow(this.#source, ask);
  }

  close(): void {
    this.#first.close();
    this.#outward.close();
  }

  async #follow(from: Target, ask: RangeRequest): Promise<RangeAnswer> {
    let target = from;
    for (let redirects = 0; redirects <= maxRedirects; redirects++) {
      let response: IncomingMessage;
      try {
        response = await this.#get(target, ask);
      } catch (error) {
        if (error instanceof ForbiddenAddress) return { kind: "refused", why: error.message };
        return { kind: "unreachable", why: wordsOf(error), retryAfterMs: null };
      }
      const { statusCode = 0, headers } = response;
      if (statusCode >= 300 && statusCode < 400 && headers.location !== undefined) {
        const { remoteAddress = "" } = response.socket;
        response.destroy();
        const { url } = target;
        const next = fetchable(URL.parse(headers.location, url)?.href ?? "", this.#localSources);
        if (next === null || (url.protocol === "https:" && next.protocol !== "https:")) {
          return { kind: "refused", why: "It redirects to an address that is not https." };
        }
        const via = this.#kindOf(remoteAddress) === "public" ? this.#outward : target.via;
        target = { url: next, via };
        this.#remembered = { target, until: performance.now() + targetMs };
        continue;
      }
      return this.#judge(response, ask);
    }
    return { kind: "refused", why: "It redirects too often." };
  }

  #judge(response: IncomingMessage, ask: RangeRequest): RangeAnswer {
    const { statusCode = 0, headers } = response;
    if (statusCode === 206) {
      const range = /^bytes (\d{1,16})-(\d{1,16})\/(\d{1,16})$/.exec(headers["content-range"] ?? "");
      if (range !== null && Number(range[3]) !== this.#sizeBytes) {
        response.destroy();
        return { kind: "refused", why: `It has ${range[3]} bytes, but the catalog says ${this.#sizeBytes}.` };
      }
      if (range === null || Number(range[1]) !== ask.start || Number(range[2]) !== ask.end - 1) {
        response.destroy();
        return { kind: "refused", why: "It sent another part of the file than the requested one." };
      }
      if (!["identity", undefined].includes(headers["content-encoding"])) {
        response.destroy();
        return { kind: "refused", why: "It compresses the file, although the request forbids that." };
      }
      return { kind: "body", body: response, validator: validatorOf(response) };
    }
    response.destroy();
    if (statusCode === 200 && ask.validator !== null) return { kind: "changed" };
    if (statusCode === 200) return { kind: "refused", why: "It sends no parts of a file (HTTP Range)." };
    if (statusCode === 416) return { kind: "refused", why: "It has fewer bytes than the catalog says." };
    const why = `It answers with status ${statusCode}.`;
    if (statusCode === 408 || statusCode === 429 || statusCode >= 500) {
      return { kind: "unreachable", why, retryAfterMs: retryAfterOf(headers["retry-after"]) };
    }
    return { kind: "refused", why };
  }

  #get({ url, via }: Target, { start, end, validator, signal }: RangeRequest): Promise<IncomingMessage> {
    return new Promise((resolve, reject) => {
      const headers = {
        range: `bytes=${start}-${end - 1}`,
        // Ranges of a compressed answer would not match the file's bytes.
        "accept-encoding": "identity",
        "user-agent": "gleaner",
        ...(validator === null ? {} : { "if-range": validator }),
      };
      const asked = via.get(url, { headers, signal });
      const timer = setTimeout(() => void asked.destroy(new Error("no answer in time")), this.times.answerMs);
      asked.on("response", (response) => {
        clearTimeout(timer);
        // The reader gets the error. Without a reader it does not matter.
        response.on("error", () => undefined);
        resolve(response);
      });
      asked.on("error", (error) => {
        clearTimeout(timer);
        reject(error);
      });
    });
  }
}

/** Only a strong validator identifies the exact bytes. */
function validatorOf({ headers }: IncomingMessage): string | null {
  const { etag } = headers;
  if (etag !== undefined && !etag.startsWith("W/") && etag.length < 1_000) return etag;
  return headers["last-modified"] ?? null;
}

function retryAfterOf(header: string | undefined): number | null {
  const seconds = Number(header);
  return header !== undefined && Number.isFinite(seconds) && seconds >= 0
    ? Math.min(seconds, 3_600) * 1_000
    : null;
}

function wordsOf(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException;
  return code ?? message;
}
