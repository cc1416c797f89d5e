import { randomBytes } from "node:crypto";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import type { ServerResponse } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { Download, type DownloadDeps } from "./download.ts";
import { InternetSource } from "./internet/internet-source.ts";
import { ModelServer } from "./model-server.fixture.ts";
import type { Neighbors } from "./neighbors.ts";
import { PartFile } from "./part-file.ts";

const pieceBytes = 65_536;
const all = new Set([0, 1, 2, 3, 4, 5]);

let folder: string;
let server: ModelServer;
let internet: InternetSource;
let part: PartFile;
let came: { internet: number; office: number };

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "gleaner-download-"));
  server = new ModelServer(randomBytes(6 * pieceBytes));
  const url = await server.listen();
  internet = new InternetSource(new URL(url), server.bytes.length, { localSources: true });
  part = await PartFile.open(join(folder, "x.part"), {
    sha256: server.sha256,
    sizeBytes: server.bytes.length,
    source: url,
    pieceBytes,
    pieceHashes: server.hashesOf(pieceBytes),
  });
  came = { internet: 0, office: 0 };
});
afterEach(async () => {
  internet.close();
  server.close();
  await part.close();
  await rm(folder, { recursive: true });
});

/** One other device, which claims to have the whole file. */
const peer = (changed: Partial<Neighbors>): Neighbors => ({
  selfId: "self",
  peers: () => [{ id: "peer", complete: true }],
  have: async () => ({ done: all, fetching: new Set(), held: 6 }),
  piece: async (_id, piece) => server.bytes.subarray(piece * pieceBytes, (piece + 1) * pieceBytes),
  ...changed,
});

const download = (neighbors: Neighbors, changed: Partial<DownloadDeps> = {}): Download =>
  new Download({
    part,
    internet,
    neighbors,
    internetHold: () => null,
    onBytes: async (bytes, from) => {
      came[from] += bytes;
    },
    onProgress: () => undefined,
    times: { settleMs: 10, pollMs: 20, patienceMs: 200 },
    ...changed,
  });

const whole = async (): Promise<void> => expect(await readFile(join(folder, "x.part"))).toEqual(server.bytes);
const signal = new AbortController().signal;

describe("a download in an office", () => {
  it("downloads everything from a device that has the file", async () => {
    expect(await download(peer({})).run(signal)).toEqual({ kind: "complete" });
    expect(came).toEqual({ internet: 0, office: server.bytes.length });
    await whole();
  });

  it("downloads from the office while the internet may not be used", async () => {
    expect(await download(peer({}), { internetHold: () => "day-budget" }).run(signal)).toEqual({
      kind: "complete",
    });
    expect(server.requests).toBe(0);
  });

  it("fetches a piece from the internet if a device sent it with a wrong hash", async () => {
    const liar = peer({ piece: async () => Buffer.alloc(pieceBytes, 7) });
    expect(await download(liar).run(signal)).toEqual({ kind: "complete" });
    expect(came).toEqual({ internet: server.bytes.length, office: 0 });
    await whole();
  });

  it.each<[string, Partial<Neighbors>]>([
    ["sends less than a piece", { piece: async () => Buffer.alloc(3) }],
    ["does not send its pieces", { piece: async () => null }],
    ["does not answer", { have: async () => null }],
    ["has nothing", { have: async () => ({ done: new Set(), fetching: new Set(), held: 0 }) }],
    [
      "claims forever to fetch the pieces",
      { have: async () => ({ done: new Set(), fetching: all, held: 0 }) },
    ],
  ])("does not wait forever for a device that %s", async (_what, changed) => {
    expect(await download(peer(changed)).run(signal)).toEqual({ kind: "complete" });
    expect(came).toEqual({ internet: server.bytes.length, office: 0 });
    await whole();
  });

  it("continues from the internet when the other devices are gone", async () => {
    let gone = false;
    const leaving = peer({
      peers: () => (gone ? [] : [{ id: "peer", complete: true }]),
      have: async () => (gone ? null : { done: new Set([2]), fetching: new Set(), held: 1 }),
      piece: async (_id, piece) => {
        gone = true;
        return server.bytes.subarray(piece * pieceBytes, (piece + 1) * pieceBytes);
      },
    });
    expect(await download(leaving).run(signal)).toEqual({ kind: "complete" });
    expect(came).toEqual({ internet: 5 * pieceBytes, office: pieceBytes });
  });

  it("waits for tomorrow's budget if no device helps", async () => {
    const idle = peer({ have: async () => null });
    expect(await download(idle, { internetHold: () => "day-budget" }).run(signal)).toMatchObject({
      kind: "waiting",
      why: "day-budget",
    });
  });

  it("stops a download on abort and keeps its bytes", async () => {
    const stop = new AbortController();
    server.holdAt = 10_000;
    const running = download(peer({ peers: () => [] }), {
      onBytes: async () => stop.abort(),
    }).run(stop.signal);
    expect(await running).toEqual({ kind: "stopped" });
    expect(part.heldBytes).toBeGreaterThan(0);
  });
});

describe("a download from a faulty server", () => {
  const alone = peer({ peers: () => [] });
  const answer = (give: (response: ServerResponse, bytes: Buffer) => void): void => {
    server.answer = ({ headers }, response) => {
      const [, start, end] = /^bytes=(\d+)-(\d+)$/.exec(headers.range ?? "") ?? [];
      const bytes = server.bytes.subarray(Number(start), Number(end) + 1);
      const range = { "content-range": `bytes ${start}-${end}/${server.bytes.length}` };
      response.writeHead(206, { ...range, etag: `"${server.requests}"` });
      give(response, bytes);
      return true;
    };
  };

  it("reads no more than it requested from a server that sends without end", async () => {
    answer((response, bytes) => {
      response.write(bytes);
      const more = setInterval(() => response.write(Buffer.alloc(pieceBytes, 7)), 1);
      response.on("close", () => clearInterval(more));
    });
    expect(await download(alone).run(signal)).toEqual({ kind: "complete" });
    await whole();
  });

  it("keeps the bytes of a server that never ends its answer", async () => {
    internet = new InternetSource(new URL(part.spec.source), server.bytes.length, {
      times: { answerMs: 5_000, idleMs: 200 },
      localSources: true,
    });
    answer((response, bytes) => void response.write(bytes));
    expect(await download(alone).run(signal)).toEqual({ kind: "complete" });
    await whole();
  });

  it("fetches no byte twice from a server that changes its validator, if pieces have hashes", async () => {
    answer((response, bytes) => void response.end(bytes));
    expect(await download(alone).run(signal)).toEqual({ kind: "complete" });
    expect(came).toEqual({ internet: server.bytes.length, office: 0 });
    await whole();
  });
});
