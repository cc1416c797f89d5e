import type { Message, MessageBus } from "dbus-native";
import { isRecord } from "../../../../app/json.ts";

/** An object of a service on the bus, with the interface whose properties matter. */
export type BusObject = { readonly service: string; readonly path: string; readonly interface: string };

export type Properties = Readonly<Record<string, unknown>>;

type SignalFilter = {
  readonly path?: string;
  readonly interface: string;
  readonly member: string;
  /** Filters by the first argument. Without this, the bus would wake us for every program that starts or ends. */
  readonly arg0?: string;
  /** Filters by the namespace of the first argument: its start, up to a dot. */
  readonly arg0Namespace?: string;
};

type Listener = { readonly filter: SignalFilter; readonly hear: (body: readonly unknown[]) => void };

/** Services answer within milliseconds, or hang. */
const callTimeoutMs = 5_000;
/** Services send small messages. A larger one is a mistake or an attack. */
const maxMessageBytes = 1024 * 1024;
/** Do not start a service that is not running. Our question must not start programs on the person's computer. */
const noAutoStart = 0x2;
const methodCall = 1;
const signal = 4;

/** The delay before reconnecting to a lost bus. It grows with each attempt. */
const firstRetryMs = 1_000;
const longestRetryMs = 60_000;

const connecting = {
  direct: true,
  authMethods: ["EXTERNAL"],
  maxMessageSize: maxMessageBytes,
  returnBigInt: false,
  timeout: callTimeoutMs,
};

/** A D-Bus connection that all sensors share. It opens on first use, and again after it is lost. */
export class Bus {
  readonly #address: string | null;
  readonly #listeners = new Set<Listener>();
  readonly #lifeListeners = new Set<() => void>();
  /** The number of listeners per match rule. The bus is told about the first and the last one only. */
  readonly #rules = new Map<string, number>();
  #client: Promise<MessageBus | null> | null = null;
  #live: MessageBus | null = null;
  #users = 0;
  #retry: NodeJS.Timeout | undefined;
  #retryMs = firstRetryMs;

  /** @param address a D-Bus address ("unix:path=…"), or null if there is no such bus. */
  constructor(address: string | null) {
    this.#address = address;
  }

  get isThere(): boolean {
    return this.#address !== null;
  }

  /** Keeps the connection open until the returned function is called. It closes when nobody holds it anymore. */
  hold(): () => void {
    this.#users += 1;
    let held = true;
    return () => {
      if (!held) return;
      held = false;
      this.#users -= 1;
      if (this.#users === 0) this.#close();
    };
  }

  /** Calls a method. Resolves to null without a bus or such a service, or if the answer is an error. */
  async call(to: BusObject, member: string, signature = "", body: readonly unknown[] = []): Promise<unknown> {
    const message: Message = {
      type: methodCall,
      destination: to.service,
      path: to.path,
      interface: to.interface,
      member,
      flags: noAutoStart,
      ...(signature === "" ? {} : { signature, body: [...body] }),
    };
    const release = this.hold();
    try {
      const client = await this.#open();
      return (await client?.invoke<unknown>(message, { timeout: callTimeoutMs })) ?? null;
    } catch {
      return null;
    } finally {
      release();
    }
  }

  /** All properties of an object. Null if it does not answer. */
  async properties(object: BusObject): Promise<Properties | null> {
    const at = { ...object, interface: "org.freedesktop.DBus.Properties" };
    const answer = await this.call(at, "GetAll", "s", [object.interface]);
    return isRecord(answer) ? answer : null;
  }

  /** Calls back at each matching signal. Returns the unsubscriber. */
  onSignal(filter: SignalFilter, hear: (body: readonly unknown[]) => void): () => void {
    const listener = { filter, hear };
    const release = this.hold();
    this.#listeners.add(listener);
    const rule = matchRule(filter);
    const others = this.#rules.get(rule) ?? 0;
    this.#rules.set(rule, others + 1);
    if (others === 0) void this.#match("AddMatch", rule);
    return () => {
      if (!this.#listeners.delete(listener)) return;
      const left = (this.#rules.get(rule) ?? 1) - 1;
      if (left > 0) this.#rules.set(rule, left);
      else {
        this.#rules.delete(rule);
        void this.#match("RemoveMatch", rule);
      }
      release();
    };
  }

  /** Calls back after the connection is lost or restored, because everything must then be read again. */
  onLife(hear: () => void): () => void {
    this.#lifeListeners.add(hear);
    return () => this.#lifeListeners.delete(hear);
  }

  async #match(how: "AddMatch" | "RemoveMatch", rule: string): Promise<void> {
    try {
      const client = await this.#open();
      if (how === "AddMatch") await client?.addMatch(rule);
      else if (this.#users > 0) await client?.removeMatch(rule);
    } catch {
      // Without the bus there are no signals. A new connection registers all rules again.
    }
  }

  #open(): Promise<MessageBus | null> {
    if (this.#address === null || this.#retry !== undefined) return Promise.resolve(null);
    this.#client ??= this.#connect(this.#address);
    return this.#client;
  }

  /** Sends Hello itself. If the library did, a refusal by the bus would end this program. */
  async #connect(busAddress: string): Promise<MessageBus | null> {
    let client: MessageBus | null = null;
    try {
      const { createClient } = await import("dbus-native");
      const opened = createClient({ ...connecting, busAddress });
      client = opened;
      opened.connection.on("error", () => undefined);
      opened.connection.on("handlerError", () => undefined);
      opened.connection.on("message", (message) => this.#hear(message));
      opened.connection.on("close", () => this.#lost(opened));
      this.#live = opened;
      await opened.invokeDbus({ member: "Hello" });
      this.#retryMs = firstRetryMs;
      await Promise.all([...this.#rules.keys()].map((rule) => opened.addMatch(rule)));
      return opened;
    } catch {
      if (client !== null) {
        // `end` is not enough: a bus that hangs would keep the connection open.
        client.connection.stream.destroy();
        this.#lost(client);
      }
      return null;
    }
  }

  #lost(client: MessageBus): void {
    if (this.#live !== client) return;
    this.#live = null;
    this.#client = null;
    if (this.#users === 0) return;
    this.#retry = setTimeout(() => {
      this.#retry = undefined;
      void this.#open().then((opened) => {
        if (opened !== null) this.#reportLife();
      });
    }, this.#retryMs);
    this.#retryMs = Math.min(longestRetryMs, this.#retryMs * 4);
    this.#reportLife();
  }

  #reportLife(): void {
    for (const hear of [...this.#lifeListeners]) hear();
  }

  #hear(message: Message): void {
    if (message.type !== signal) return;
    for (const { filter, hear } of [...this.#listeners]) {
      if (message.member !== filter.member || message.interface !== filter.interface) continue;
      if (filter.path !== undefined && message.path !== filter.path) continue;
      const body = message.body ?? [];
      if (filter.arg0 !== undefined && body[0] !== filter.arg0) continue;
      hear(body);
    }
  }

  #close(): void {
    clearTimeout(this.#retry);
    this.#retry = undefined;
    this.#client = null;
    this.#live?.connection.end();
    this.#live = null;
  }
}

function matchRule({ path, interface: name, member, arg0, arg0Namespace }: SignalFilter): string {
  const parts = Object.entries({
    type: "signal",
    interface: name,
    member,
    path,
    arg0,
    arg0namespace: arg0Namespace,
  });
  return parts.flatMap(([key, value]) => (value === undefined ? [] : [`${key}='${value}'`])).join(",");
}
