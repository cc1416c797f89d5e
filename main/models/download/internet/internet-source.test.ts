import { randomBytes } from "node:crypto";
import type { ServerResponse } from "node:http";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { ModelServer } from "../model-server.fixture.ts";
import { InternetSource, type RangeAnswer } from "./internet-source.ts";

let server: ModelServer;
let url: string;
let source: InternetSource;
const times = { answerMs: 300, idleMs: 300 };
const signal = new AbortController().signal;

beforeEach(async () => {
  server = new ModelServer(randomBytes(1_000));
  url = await server.listen();
  source = new InternetSource(new URL(url), 1_000, { times, localSources: true });
});
afterEach(() => {
  source.close();
  server.close();
});

const ask = (validator: string | null = null): Promise<RangeAnswer> =>
  source.ask({ start: 100, end: 200, validator, signal });
const answer = (give: (response: ServerResponse, path: string) => void): void => {
  server.answer = (request, response) => {
    give(response, request.url ?? "");
    return true;
  };
};

describe("a range of a file on the internet", () => {
  it("returns the requested bytes and the server's validator", async () => {
    const answered = await ask();
    expect(answered).toMatchObject({ kind: "body", validator: '"1"' });
    const chunks: Buffer[] = [];
    if (answered.kind === "body") for await (const chunk of answered.body) chunks.push(chunk as Buffer);
    expect(Buffer.concat(chunks)).toEqual(server.bytes.subarray(100, 200));
  });

  it("reports that the server's file has changed", async () => {
    expect(await ask('"0"')).toEqual({ kind: "changed" });
  });

  it("follows a redirect and remembers it", async () => {
    const paths: string[] = [];
    server.answer = (request, response) => {
      paths.push(request.url ?? "");
      if (request.url !== "/model.gguf") return false;
      response.writeHead(302, { location: "/elsewhere" }).end();
      return true;
    };
    for (let times = 0; times < 2; times++) {
      const answered = await ask();
      expect(answered.kind).toBe("body");
      if (answered.kind === "body") answered.body.resume();
    }
    expect(paths).toEqual(["/model.gguf", "/elsewhere", "/elsewhere"]);
  });

  it.each<[string, (response: ServerResponse) => void]>([
    ["redirects too often", (response) => response.writeHead(302, { location: "/again" }).end()],
    ["not https", (response) => response.writeHead(302, { location: "http://example.org/m" }).end()],
    ["no parts", (response) => response.writeHead(200).end("x")],
    ["not https", (response) => response.writeHead(302, { location: "http://[" }).end()],
    [
      "compresses",
      (response) => {
        const range = { "content-range": "bytes 100-199/1000" };
        response.writeHead(206, { ...range, "content-encoding": "gzip" }).end();
      },
    ],
    ["has 5 bytes", (response) => response.writeHead(206, { "content-range": "bytes 100-199/5" }).end()],
    ["another part", (response) => response.writeHead(206, { "content-range": "bytes 0-99/1000" }).end()],
    ["another part", (response) => response.writeHead(206).end()],
    ["fewer bytes", (response) => response.writeHead(416).end()],
    ["status 404", (response) => response.writeHead(404).end()],
  ])("refuses an answer: %s", async (words, give) => {
    answer(give);
    const answered = await ask();
    expect(answered.kind).toBe("refused");
    expect(answered.kind === "refused" && answered.why).toContain(words);
  });

  it("reports temporary errors with the server's Retry-After", async () => {
    answer((response) => response.writeHead(503, { "retry-after": "7" }).end());
    expect(await ask()).toEqual({
      kind: "unreachable",
      why: "It answers with status 503.",
      retryAfterMs: 7_000,
    });
    answer((response) => response.writeHead(429).end());
    expect(await ask()).toMatchObject({ kind: "unreachable", retryAfterMs: null });
    answer((response) => response.destroy());
    expect(await ask()).toMatchObject({ kind: "unreachable", why: "ECONNRESET" });
    answer(() => undefined);
    expect(await ask()).toMatchObject({ kind: "unreachable", why: "no answer in time" });
  });
});

describe("a source on this computer", () => {
  const refusedAt = async (address: string): Promise<void> => {
    const local = new InternetSource(new URL(address), 1_000, { times, localSources: false });
    const answered = await local.ask({ start: 100, end: 200, validator: null, signal });
    local.close();
    expect(answered).toMatchObject({
      kind: "refused",
      why: expect.stringContaining("this computer") as string,
    });
    expect(server.requests).toBe(0);
  };

  it.each(["127.0.0.1", "localhost", "[::1]", "[::ffff:127.0.0.1]", "0.0.0.0", "2130706433", "127.1"])(
    "is refused before a connection, as %s",
    async (host) => {
      const { port } = new URL(url);
      await refusedAt(`http://${host}:${port}/model.gguf`);
      await refusedAt(`https://${host}:${port}/model.gguf`);
    },
  );
});

describe("a redirect from the internet", () => {
  it.each([
    ["private", "the local network"],
    ["forbidden", "this computer"],
  ] as const)("to a %s address is refused before a connection", async (kind, words) => {
    const { port } = new URL(url);
    answer((response) => response.writeHead(302, { location: `http://[::1]:${port}/inner` }).end());
    const outside = new InternetSource(new URL(url), 1_000, {
      times,
      localSources: true,
      // The test's server counts as one on the internet.
      kindOf: (address) => (address === "127.0.0.1" ? "public" : kind),
    });
    const answered = await outside.ask({ start: 100, end: 200, validator: null, signal });
    outside.close();
    expect(answered).toMatchObject({ kind: "refused", why: expect.stringContaining(words) as string });
    expect(server.requests).toBe(1);
  });
});
