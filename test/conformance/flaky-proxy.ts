import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { connect as connectTls } from "node:tls";
import { onTestFinished } from "vitest";

/** A TCP proxy that can lose connections, and what the server says on them. */
export type FlakyProxy = {
  readonly url: string;
  /** From now on nothing of what the server says arrives, until the connections are cut. */
  readonly deafen: () => void;
  /** Cuts all connections, as a network does: without a word. New ones work. */
  readonly cut: () => void;
  /** Bytes that came from clients. */
  readonly sent: () => number;
};

/** A connection to the deployment, encrypted where its URL says so. */
function connectTo({ protocol, hostname, port }: URL): Socket {
  return protocol === "https:"
    ? connectTls({ host: hostname, port: Number(port || 443), servername: hostname })
    : connect(Number(port || 80), hostname);
}

/** Deployments of one host are told apart by the Host header, which names the proxy so far. */
function withHost(data: Buffer, host: string): Buffer {
  return Buffer.from(data.toString("latin1").replace(/^Host:.*$/im, `Host: ${host}`), "latin1");
}

export async function startFlakyProxy(target: string): Promise<FlakyProxy> {
  const url = new URL(target);
  const pairs = new Set<readonly [Socket, Socket]>();
  let deaf = false;
  let sent = 0;
  const server = createServer((client) => {
    const upstream = connectTo(url);
    let isFirst = true;
    const pair = [client, upstream] as const;
    pairs.add(pair);
    client.on("data", (data) => {
      sent += data.length;
      upstream.write(isFirst ? withHost(data, url.host) : data);
      isFirst = false;
    });
    upstream.on("data", (data) => {
      if (!deaf) client.write(data);
    });
    const end = (): void => {
      pairs.delete(pair);
      client.destroy();
      upstream.destroy();
    };
    for (const socket of pair) socket.on("error", end).on("close", end);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const cut = (): void => {
    deaf = false;
    for (const pair of pairs) for (const socket of pair) socket.destroy();
  };
  onTestFinished(() => {
    cut();
    server.close();
  });
  return {
    url: `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`,
    deafen: () => {
      deaf = true;
    },
    cut,
    sent: () => sent,
  };
}
