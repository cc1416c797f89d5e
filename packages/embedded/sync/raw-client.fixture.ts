import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { WebSocket } from "ws";
import type { Backend, BackendOptions } from "../compose/backend-options.ts";
import { startBackend } from "../server.ts";
import { testApp } from "../test-app.fixture.ts";

/** A whole backend over the test app's functions, for one test. */
export async function openBackend(log: BackendOptions["log"]): Promise<Backend> {
  const folder = await mkdtemp(join(tmpdir(), "sync-"));
  const backend = await startBackend({
    convexDir: testApp,
    dataFile: join(folder, "data.sqlite3"),
    port: 0,
    sitePort: 0,
    adminKey: "k",
    ...(log === undefined ? {} : { log }),
  });
  onTestFinished(async () => {
    await backend.close();
    await rm(folder, { recursive: true });
  });
  return backend;
}

type Modification = { readonly queryId: number; readonly value: unknown };

/** A connection that speaks the protocol by hand, and may stop reading. */
export class RawClient {
  readonly ws: WebSocket;
  /** Bytes received so far. */
  received = 0;
  /** The answered mutations, in order. */
  readonly answered: number[] = [];
  readonly transitions: (readonly Modification[])[] = [];
  readonly closed: Promise<unknown>;
  readonly #looks = new Set<() => void>();

  private constructor(ws: WebSocket) {
    this.ws = ws;
    this.closed = new Promise((resolve) => ws.on("close", resolve));
    ws.on("message", (data: Buffer) => {
      this.received += data.length;
      const message = JSON.parse(data.toString("utf8")) as {
        type: string;
        requestId: number;
        modifications: Modification[];
      };
      if (message.type === "Transition") this.transitions.push(message.modifications);
      if (message.type === "MutationResponse") this.answered.push(message.requestId);
      for (const look of [...this.#looks]) look();
    });
  }

  static async open(url: string, sessionId: string): Promise<RawClient> {
    const ws = new WebSocket(`${url.replace("http", "ws")}/api/sync`);
    const client = new RawClient(ws);
    onTestFinished(() => ws.terminate());
    await new Promise((resolve, reject) => ws.on("open", resolve).on("error", reject));
    ws.on("error", () => undefined);
    client.send({ type: "Connect", sessionId, connectionCount: 0, lastCloseReason: null, clientTs: 1 });
    return client;
  }

  send(message: unknown): void {
    this.ws.send(JSON.stringify(message));
  }

  /** Watches one query under many ids, like clients without a cache. */
  watch(udfPath: string, args: object, times = 1): void {
    const modifications = Array.from({ length: times }, (_, queryId) => ({
      type: "Add",
      queryId,
      udfPath,
      args: [args],
    }));
    this.send({ type: "ModifyQuerySet", baseVersion: 0, newVersion: 1, modifications });
  }

  /** Resolves once `passes` returns true. */
  until(passes: () => boolean): Promise<void> {
    return new Promise((resolve) => {
      const look = (): void => {
        if (!passes()) return;
        this.#looks.delete(look);
        resolve();
      };
      this.#looks.add(look);
      look();
    });
  }
}
