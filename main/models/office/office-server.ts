import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer, type Server } from "node:https";
import type { AddressInfo, Socket } from "node:net";
import { errorName, type Log } from "../../log.ts";
import { CallLimit } from "./call-limit.ts";
import type { OfficeKey } from "./secrets.ts";
import type { SharedFiles } from "./shared-files.ts";
import { officeTls } from "./tls.ts";

/** Low enough that a person at this computer never notices. */
const limits = { connections: 24, connectionsEach: 4, piecesAtOnce: 4, callsPerSecondEach: 30 };

const path = /^\/1\/(?<what>have|piece)\/(?<sha256>[0-9a-f]{64})\/(?<size>\d{1,9})(\/(?<piece>\d{1,5}))?$/;
const sizes = { least: 64 * 2 ** 10, most: 16 * 2 ** 20 };

/**
 * Serves pieces of models to devices of the same organization. Both ends authenticate by TLS with a pre-shared
 * key; without the key there is no answer. Requests name a hash, never a path.
 */
export class OfficeServer {
  readonly #server: Server;
  readonly #shared: SharedFiles;
  readonly #log: Log;
  readonly #calls = new CallLimit(limits.callsPerSecondEach);
  #sending = 0;

  constructor(keys: () => readonly OfficeKey[], shared: SharedFiles, log: Log) {
    this.#shared = shared;
    this.#log = log;
    this.#server = createServer(
      {
        ...officeTls,
        handshakeTimeout: 5_000,
        pskCallback: (_socket, tag) => keys().find((key) => key.tag === tag)?.psk ?? null,
        maxHeaderSize: 4_096,
      },
      (request, response) => void this.#answer(request, response),
    );
    this.#server.maxConnections = limits.connections;
    this.#server.requestTimeout = 10_000;
    this.#server.headersTimeout = 5_000;
    this.#server.keepAliveTimeout = 15_000;
    const open = new Map<string, number>();
    this.#server.on("connection", (socket: Socket) => {
      const from = socket.remoteAddress ?? "";
      const count = (open.get(from) ?? 0) + 1;
      open.set(from, count);
      socket.once("close", () => {
        const left = (open.get(from) ?? 1) - 1;
        if (left === 0) open.delete(from);
        else open.set(from, left);
      });
      if (count > limits.connectionsEach) socket.destroy();
    });
    this.#server.on("tlsClientError", (_error, socket) => socket.destroy());
    this.#server.on("clientError", (_error, socket) => socket.destroy());
    this.#server.on("error", (error) =>
      this.#log("warn", "office.server-error", { error: errorName(error) }),
    );
  }

  /** @returns the port. Rejects if the address is not this machine's. */
  async listen(address: string, port: number): Promise<number> {
    await new Promise<void>((resolve, reject) => {
      this.#server.once("error", reject);
      this.#server.listen({ host: address, port, exclusive: true }, () => {
        this.#server.off("error", reject);
        resolve();
      });
    });
    return (this.#server.address() as AddressInfo).port;
  }

  close(): void {
    this.#server.close();
    this.#server.closeAllConnections();
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    try {
      const found = path.exec(request.url ?? "")?.groups;
      const size = Number(found?.["size"]);
      if (request.method !== "GET" || found === undefined || size < sizes.least || size > sizes.most) {
        end(response, 404);
      } else if (
        !this.#shared.isOpen() ||
        !this.#calls.admits(request.socket.remoteAddress ?? "", performance.now())
      ) {
        end(response, 503);
      } else if (found["what"] === "have" && found["piece"] === undefined) {
        const have = this.#shared.have(found["sha256"] ?? "", size);
        if (have === null) end(response, 404);
        else end(response, 200, Buffer.from(JSON.stringify(have)));
      } else if (found["what"] === "piece" && found["piece"] !== undefined) {
        await this.#sendPiece(found["sha256"] ?? "", size, Number(found["piece"]), response);
      } else end(response, 404);
    } catch (error) {
      this.#log("warn", "office.answer-failed", { error: errorName(error) });
      response.destroy();
    }
  }

  async #sendPiece(sha256: string, size: number, piece: number, response: ServerResponse): Promise<void> {
    if (this.#sending >= limits.piecesAtOnce) {
      end(response, 503);
      return;
    }
    this.#sending++;
    try {
      const bytes = await this.#shared.piece(sha256, size, piece);
      if (bytes === null) {
        end(response, 404);
        return;
      }
      response.writeHead(200, { "content-length": bytes.length });
      for (let at = 0; at < bytes.length && !response.destroyed; at += chunkBytes) {
        // The person came back, or the network changed.
        if (!this.#shared.isOpen()) {
          response.destroy();
          return;
        }
        const chunk = bytes.subarray(at, at + chunkBytes);
        await new Promise((resolve) => response.write(chunk, resolve));
        await this.#shared.pace(chunk.length);
      }
      response.end();
    } finally {
      this.#sending--;
    }
  }
}

const chunkBytes = 256 * 2 ** 10;

function end(response: ServerResponse, status: number, body?: Buffer): void {
  response.writeHead(status, { "content-length": body?.length ?? 0 });
  response.end(body);
}
