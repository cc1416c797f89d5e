import http, { type IncomingMessage } from "node:http";
import https from "node:https";
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

/** One file on the internet, fetched in ranges. Only over TLS, with few redirects and time limits everywhere. */
export class InternetSource {
  readonly times: InternetTimes;
  readonly #url: URL;
  readonly #sizeBytes: number;
  readonly #secure = new https.Agent({ keepAlive: true, maxSockets: 4, timeout: 60_000 });
  readonly #plain = new http.Agent({ keepAlive: true, maxSockets: 4, timeout: 60_000 });
  #target: { readonly url: URL; readonly until: number } | null = null;

  constructor(url: URL, sizeBytes: number, times: InternetTimes = { answerMs: 30_000, idleMs: 30_000 }) {
    this.#url = url;
    this.#sizeBytes = sizeBytes;
    this.times = times;
  }

  async ask(ask: RangeRequest): Promise<RangeAnswer> {
    const remembered =
      this.#target !== null && this.#target.until > performance.now() ? this.#target.url : null;
    if (remembered !== null) {
      const answer = await this.#follow(remembered, ask);
      if (answer.kind !== "refused") return answer;
      this.#target = null;
    }
    return await this.#follow(this.#url, ask);
  }

  close(): void {
    this.#secure.destroy();
    this.#plain.destroy();
  }

  async #follow(from: URL, ask: RangeRequest): Promise<RangeAnswer> {
    let url = from;
    for (let redirects = 0; redirects <= maxRedirects; redirects++) {
      let response: IncomingMessage;
      try {
        response = await this.#get(url, ask);
      } catch (error) {
        return { kind: "unreachable", why: wordsOf(error), retryAfterMs: null };
      }
      const { statusCode = 0, headers } = response;
      if (statusCode >= 300 && statusCode < 400 && headers.location !== undefined) {
        response.destroy();
        const next = fetchable(URL.parse(headers.location, url)?.href ?? "");
        // A redirect from the internet must not lead to a server on this machine.
        if (next === null || (url.protocol === "https:" && next.protocol !== "https:")) {
          return { kind: "refused", why: "It redirects to an address that is not https." };
        }
        url = next;
        this.#target = { url, until: performance.now() + targetMs };
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

  #get(url: URL, { start, end, validator, signal }: RangeRequest): Promise<IncomingMessage> {
    return new Promise((resolve, reject) => {
      const headers = {
        range: `bytes=${start}-${end - 1}`,
        // Ranges of a compressed answer would not match the file's bytes.
        "accept-encoding": "identity",
        "user-agent": "gleaner",
        ...(validator === null ? {} : { "if-range": validator }),
      };
      const asked =
        url.protocol === "https:"
          ? https.get(url, { headers, signal, agent: this.#secure })
          : http.get(url, { headers, signal, agent: this.#plain });
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
