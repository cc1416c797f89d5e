import { once } from "node:events";
import { createServer } from "node:http";
import type { Duplex } from "node:stream";
import { expect, it, onTestFinished, vi } from "vitest";
import { WebSocket, WebSocketServer } from "ws";
import { closeServer, listen } from "../http/listen/listen.ts";
import { Outbox } from "./outbox.ts";

/** A client's WebSocket, and the server's end of it with the connection under it. */
async function connected(): Promise<{ client: WebSocket; ws: WebSocket; socket: Duplex }> {
  const sockets = new WebSocketServer({ noServer: true });
  const server = createServer();
  const accepted = new Promise<{ ws: WebSocket; socket: Duplex }>((resolve) => {
    server.on("upgrade", (request, socket, head) =>
      sockets.handleUpgrade(request, socket, head, (ws) => resolve({ ws, socket })),
    );
  });
  const port = await listen(server, 0, "127.0.0.1");
  onTestFinished(() => closeServer(server, 0));
  const client = new WebSocket(`ws://127.0.0.1:${String(port)}`);
  await once(client, "open");
  onTestFinished(() => client.terminate());
  return { client, ...(await accepted) };
}

it("an outbox writes messages that it sends together at once, in their order", async () => {
  const { client, ws, socket } = await connected();
  const received: string[] = [];
  client.on("message", (data: Buffer) => received.push(data.toString()));
  const outbox = new Outbox(ws, { onChanged: () => undefined, onUnread: () => undefined });
  outbox.attach(socket);
  const writes = vi.spyOn(socket, "_writev" as never);
  await outbox.send({ type: "FatalError", error: "first" }, { type: "Ping" });
  expect(writes).toHaveBeenCalledTimes(1);
  expect(outbox.sentFrames).toBe(2);
  await vi.waitFor(() =>
    expect(received.map((text): unknown => JSON.parse(text))).toEqual([
      { type: "FatalError", error: "first" },
      { type: "Ping" },
    ]),
  );
});
