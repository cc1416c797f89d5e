import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { sha256Of } from "../../store/verify-file.ts";

/** A server that replaces the internet and counts how often it sent each byte. */
export class ModelServer {
  readonly bytes: Buffer;
  readonly given: Uint8Array;
  etag = '"1"';
  requests = 0;
  sent = 0;
  /** Stops sending after this many bytes. */
  holdAt = Infinity;
  /** Changes bytes before they are sent, e.g. to damage them. */
  onChunk: (start: number, bytes: Buffer) => Buffer = (_start, bytes) => bytes;
  /** Answers in its place and returns true. */
  answer: (request: IncomingMessage, response: ServerResponse) => boolean = () => false;
  readonly #chunkBytes: number;
  readonly #server = createServer((request, response) => void this.#serve(request, response));

  constructor(bytes: Buffer, chunkBytes = 4_096) {
    this.bytes = bytes;
    this.given = new Uint8Array(bytes.length);
    this.#chunkBytes = chunkBytes;
  }

  get sha256(): string {
    return sha256Of(this.bytes);
  }

  hashesOf(pieceBytes: number): string[] {
    const hashes: string[] = [];
    for (let start = 0; start < this.bytes.length; start += pieceBytes) {
      hashes.push(sha256Of(this.bytes.subarray(start, start + pieceBytes)));
    }
    return hashes;
  }

  async listen(): Promise<string> {
    await new Promise<void>((resolve) => this.#server.listen(0, "127.0.0.1", resolve));
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/model.gguf`;
  }

  /** Resolves when it has noticed that all clients are gone. */
  async deserted(): Promise<void> {
    const open = (): Promise<number> =>
      new Promise((resolve) => this.#server.getConnections((_error, count) => resolve(count)));
    while ((await open()) > 0) await new Promise((resolve) => setTimeout(resolve, 5));
  }

  close(): void {
    this.#server.close();
    this.#server.closeAllConnections();
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    this.requests++;
    if (this.answer(request, response)) return;
    const range = /^bytes=(\d+)-(\d+)$/.exec(request.headers.range ?? "");
    const same = [undefined, this.etag].includes(request.headers["if-range"] as string | undefined);
    const start = range !== null && same ? Number(range[1]) : 0;
    const end = range !== null && same ? Number(range[2]) + 1 : this.bytes.length;
    response.writeHead(range !== null && same ? 206 : 200, {
      etag: this.etag,
      "content-length": end - start,
      ...(same ? { "content-range": `bytes ${start}-${end - 1}/${this.bytes.length}` } : {}),
    });
    const isGone = (): boolean => response.destroyed;
    for (let at = start; at < end && !isGone();) {
      const room = this.holdAt - this.sent;
      if (room <= 0) {
        response.flushHeaders();
        await new Promise((resolve) => setTimeout(resolve, 5));
        continue;
      }
      const chunk = this.bytes.subarray(at, Math.min(end, at + this.#chunkBytes, at + room));
      for (let byte = at; byte < at + chunk.length; byte++) this.given[byte] = (this.given[byte] ?? 0) + 1;
      this.sent += chunk.length;
      await new Promise((resolve) => response.write(this.onChunk(at, Buffer.from(chunk)), resolve));
      at += chunk.length;
    }
    response.end();
  }
}
