import { randomUUID } from "node:crypto";
import type { Farm } from "../../launch/farm/farm.ts";
import { costlyBodies } from "./costly-bodies.ts";
import { flood, floods } from "./floods.ts";

/** One hostile call. */
export type HostileCall = {
  readonly kind: string;
  /** Resolves when it was answered or refused, or its connection ended. Rejects if it did not reach the backend. */
  readonly send: () => Promise<void>;
};

/** A call that is neither answered nor refused is left. */
const patienceMs = 5_000;
const mib = 2 ** 20;

/** One call of each kind that a stranger, or the owner of an API key, could send. */
export function hostileCalls(farm: Farm, apiKey: string): readonly HostileCall[] {
  const { url, siteUrl } = farm.backend;
  const chat = `${siteUrl}/v1/chat/completions`;
  const http = (kind: string, address: string, body: string, key?: string): HostileCall => ({
    kind,
    send: async () => {
      const headers = {
        "content-type": "application/json",
        ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
      };
      const signal = AbortSignal.timeout(patienceMs);
      const sent = fetch(address, { method: "POST", headers, body, signal });
      await sent.then((response) => response.arrayBuffer()).catch(ignoreEnd);
    },
  });
  const sync = (kind: string, messages: readonly string[]): HostileCall => ({
    kind,
    send: () => converse(`${url.replace("http", "ws")}/api/sync`, messages),
  });
  const call = (path: string, args: unknown): string => JSON.stringify({ path, args, format: "json" });
  return [
    ...costlyBodies(farm.modelId).map(({ name, body }) => http(name, chat, JSON.stringify(body), apiKey)),
    http("wrong API key", chat, "{}", "sk-gleaner-wrong"),
    http("body of 8 MiB", chat, " ".repeat(8 * mib)),
    http("function call of 8 MiB", `${url}/api/query`, call("devices:me", [{ key: "x".repeat(8 * mib) }])),
    http("deep JSON", `${url}/api/query`, `${"[".repeat(100_000)}${"]".repeat(100_000)}`),
    http("wide JSON", `${url}/api/query`, call("devices:me", [Array(150_000).fill({ a: 1 })])),
    http("wrong enrollment code", `${url}/api/mutation`, call("devices:enroll", [enrollment()])),
    sync("message of 8 MiB", ["x".repeat(8 * mib)]),
    sync("retained arguments", retainedArguments()),
    sync("many subscriptions", [subscriptions(2_000, "x")]),
    sync("wide subscriptions", [subscriptions(20, "x".repeat(50_000))]),
    ...floods(url).map(({ kind, bytes }) => ({ kind, send: () => flood(url, bytes, patienceMs) })),
  ];
}

/** A refused upload may end its connection, and a busy backend may not answer in time. Others are faults of the bench. */
function ignoreEnd(error: unknown): void {
  const { cause } = error as { cause?: { code?: string } };
  if (cause?.code === "ECONNREFUSED") throw error;
}

function enrollment(): object {
  return { code: "GLN-0000-0000-0000", key: `gd_${"0".repeat(64)}`, name: "x", platform: "x" };
}

/** Messages that a connection sends to make the backend keep as much as it can. */
export function retainedArguments(): readonly string[] {
  const mutation = (requestId: number): string =>
    JSON.stringify({
      type: "Mutation",
      requestId,
      udfPath: "devices:reportModels",
      args: [{ key: "x", models: ["y".repeat(mib)] }],
    });
  return [subscriptions(300, "x".repeat(6_000)), ...Array.from({ length: 8 }, (_, index) => mutation(index))];
}

function subscriptions(count: number, text: string): string {
  return JSON.stringify({
    type: "ModifyQuerySet",
    baseVersion: 0,
    newVersion: 1,
    modifications: Array.from({ length: count }, (_, queryId) => ({
      type: "Add",
      queryId,
      udfPath: "devices:me",
      args: [{ key: `${text}${queryId}` }],
    })),
  });
}

/** Opens a connection, sends the messages, and resolves once the backend closed it or was silent for a while. */
function converse(address: string, messages: readonly string[]): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = openSync(address, messages);
    let isOpen = false;
    socket.addEventListener("open", () => (isOpen = true));
    const end = (): void => {
      socket.close();
      resolve();
    };
    let timer = setTimeout(() => {
      if (isOpen) end();
      else reject(new Error("the connection did not open"));
    }, patienceMs);
    socket.addEventListener("message", () => {
      clearTimeout(timer);
      timer = setTimeout(end, 200);
    });
    socket.addEventListener("close", () => {
      clearTimeout(timer);
      if (isOpen) resolve();
      else reject(new Error("the connection did not open"));
    });
  });
}

/** A connection of the sync protocol that sends these messages as soon as it is open. */
export function openSync(address: string, messages: readonly string[]): WebSocket {
  const socket = new WebSocket(address);
  socket.addEventListener("error", () => undefined);
  socket.addEventListener("open", () => {
    const greeting = { type: "Connect", sessionId: randomUUID(), connectionCount: 0, clientTs: 1 };
    socket.send(JSON.stringify(greeting));
    for (const message of messages) socket.send(message);
  });
  return socket;
}
