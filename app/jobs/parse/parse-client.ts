/** The program that made a call, as far as the call's headers tell. */
export type Client = {
  /** Whether it sends the request again, because it got no answer before. */
  readonly isRetry: boolean;
  /** How long it waits for the first byte of an answer, in ms. Null: nothing is known. */
  readonly patienceMs: number | null;
};

/**
 * `fetch` of Node and Bun gives up after 300 s without a header, whatever timeout the caller has set. So a call gets its answer
 * earlier, with time for the way back.
 */
const fetchPatienceMs = 270_000;

/** OpenAI's clients name their runtime; others only their program. */
const runtimes = /\b(node|node\.js|undici|bun)\b/i;
const longestHeader = 500;

/** Reads the headers of OpenAI's SDKs, which count their retries and name their runtime, and the name of any other program. */
export function parseClient(header: (name: string) => string | null): Client {
  const read = (name: string): string => (header(name) ?? "").slice(0, longestHeader);
  const isFetch = runtimes.test(read("x-stainless-runtime")) || runtimes.test(read("user-agent"));
  return {
    isRetry: /^[1-9]\d{0,3}$/.test(read("x-stainless-retry-count").trim()),
    patienceMs: isFetch ? fetchPatienceMs : null,
  };
}
