import https from "node:https";
import * as z from "zod";
import type { PeerHave } from "../download/neighbors.ts";
import { PieceLayout, piecesIn } from "../download/piece-layout.ts";
import type { OfficeKey } from "./secrets.ts";
import { officeTls } from "./tls.ts";

/** A device's address in the office and its key. */
export type PeerAddress = { readonly address: string; readonly port: number; readonly key: OfficeKey };

export type WantedFile = { readonly sha256: string; readonly sizeBytes: number; readonly pieceBytes: number };

const bits = z.string().max(2_048);
const haveAnswer = z.object({ done: bits, fetching: bits, held: z.number().int().min(0) });

const answerMs = 5_000;
/** The time limit of one piece, however slow the network. Other pieces continue meanwhile. */
const pieceMs = 120_000;

/** Asks devices in the office. Bounds and parses their answers; the caller verifies the bytes. */
export class OfficeClient {
  readonly #agent = new https.Agent({ keepAlive: true, maxSockets: 2, maxFreeSockets: 1, timeout: 30_000 });

  async have(peer: PeerAddress, file: WantedFile, signal: AbortSignal): Promise<PeerHave | null> {
    const { count } = new PieceLayout(file.sizeBytes, file.pieceBytes);
    const body = await this.#get(peer, `have/${file.sha256}/${file.pieceBytes}`, 8_192, answerMs, signal);
    if (body === null) return null;
    try {
      const { done, fetching, held } = haveAnswer.parse(JSON.parse(body.toString("utf8")));
      const have = { done: piecesIn(done, count), fetching: piecesIn(fetching, count), held };
      return have.done === null || have.fetching === null
        ? null
        : { ...have, done: have.done, fetching: have.fetching };
    } catch {
      return null;
    }
  }

  async piece(
    peer: PeerAddress,
    file: WantedFile,
    piece: number,
    signal: AbortSignal,
  ): Promise<Buffer | null> {
    const what = `piece/${file.sha256}/${file.pieceBytes}/${piece}`;
    return await this.#get(peer, what, file.pieceBytes, pieceMs, signal);
  }

  close(): void {
    this.#agent.destroy();
  }

  /** Resolves to null without a complete answer within the bounds. */
  #get(
    { address, port, key }: PeerAddress,
    what: string,
    maxBytes: number,
    withinMs: number,
    signal: AbortSignal,
  ): Promise<Buffer | null> {
    return new Promise((resolve) => {
      const options = {
        ...officeTls,
        host: address,
        port,
        path: `/1/${what}`,
        agent: this.#agent,
        signal,
        // Without certificates, the pre-shared key authenticates both ends.
        checkServerIdentity: () => undefined,
        pskCallback: () => ({ psk: key.psk, identity: key.tag }),
      };
      const asked = https.get(options);
      const timer = setTimeout(() => void asked.destroy(), withinMs);
      const settle = (body: Buffer | null): void => {
        clearTimeout(timer);
        resolve(body);
      };
      asked.on("error", () => settle(null));
      asked.on("response", (response) => {
        const chunks: Buffer[] = [];
        let bytes = 0;
        response.on("error", () => settle(null));
        response.on("data", (chunk: Buffer) => {
          bytes += chunk.length;
          if (bytes > maxBytes) response.destroy();
          else chunks.push(chunk);
        });
        response.on("close", () =>
          settle(response.complete && response.statusCode === 200 ? Buffer.concat(chunks) : null),
        );
      });
    });
  }
}
