import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { connect as connectTls } from "node:tls";
import { onTestFinished } from "vitest";

/** A TCP proxy that can lose connections and the server's answers. */
type FlakyProxy = {
  readonly url: string;
  /** Drops everything that the server sends, until the connections are cut. */
  readonly dropAnswers: () => void;
  /** Cuts all connections without a close frame, as a network does. New ones work. */
  readonly cut: () => void;
  /** Bytes received from clients. */
  readonly sent: () => number;
};

/** Connects to the deployment, with TLS if its URL says so. */
function connectTo({ protocol, hostname, port }: URL): Socket {
  return protocol === "https:"
    ? connectTls({ host: hostname, port: Number(port || 443), servername: hostname })
    : connect(Number(port || 80), hostname);
}

/** Puts the deployment's name in the Host header, which selects among deployments of one host. */
function withHost(data: Buffer, host: string): Buffer {
  return Buffer.from(data.toString("latin1").replace(/^Host:.*$/im, `Host: ${host}`), "latin1");
}

export async function startFlakyProxy(target: string): Promise<FlakyProxy> {
  const url = new URL(target);
  const pairs = new Set<readonly [Socket, Socket]>();
  let dropsAnswers = false;
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
      if (!dropsAnswers) client.write(data);
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
    dropsAnswers = false;
    for (const pair of pairs) for (const socket of pair) socket.destroy();
  };
  onTestFinished(() => {
    cut();
    server.close();
  });
  return {
    url: `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`,
    dropAnswers: () => {
      dropsAnswers = true;
    },
    cut,
    sent: () => sent,
  };
}
