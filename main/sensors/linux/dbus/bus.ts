import type { Message, MessageBus } from "dbus-native";

export type BusName = "system" | "session";

/** One object of a service that is on the bus now, and the interface whose properties matter. */
export type BusObject = { readonly service: string; readonly path: string; readonly interface: string };

export type Properties = Readonly<Record<string, unknown>>;

export type SignalFilter = {
  readonly path?: string;
  readonly interface: string;
  readonly member: string;
  /** The first argument: without it the bus would wake us for every program that comes and goes. */
  readonly arg0?: string;
  /** The first argument's beginning, up to a dot. */
  readonly arg0Namespace?: string;
};

type Listener = { readonly filter: SignalFilter; readonly hear: (body: readonly unknown[]) => void };

/** Services answer within milliseconds, or hang. */
const callTimeoutMs = 5_000;
/** What a service tells us is small; a larger message is a mistake or an attack. */
const maxMessageBytes = 1024 * 1024;
/** Do not start the service if it does not run: nobody may find a new program running since we asked. */
const noAutoStart = 0x2;
const methodCall = 1;
const signal = 4;

/** A bus that was lost is looked for after this time, and then ever more seldom. */
const firstRetryMs = 1_000;
const longestRetryMs = 60_000;

const connecting = {
  direct: true,
  authMethods: ["EXTERNAL"],
  maxMessageSize: maxMessageBytes,
  returnBigInt: false,
  timeout: callTimeoutMs,
};

/** A connection to a D-Bus, shared by all sensors: it is opened at the first use, and opened again when it got lost. */
export class Bus {
  readonly #address: string | null;
  readonly #listeners = new Set<Listener>();
  readonly #lifeListeners = new Set<() => void>();
  /** How many listen by each rule: the bus is told of the first, and of the last. */
  readonly #rules = new Map<string, number>();
  #client: Promise<MessageBus | null> | null = null;
  #live: MessageBus | null = null;
  #users = 0;
  #retry: NodeJS.Timeout | undefined;
  #retryMs = firstRetryMs;

  /** @param address a D-Bus address ("unix:path=…"), or null where there is no such bus. */
  constructor(address: string | null) {
    this.#address = address;
  }

  get isThere(): boolean {
    return this.#address !== null;
  }

  /** Whoever listens holds the connection; with the last one it is closed. */
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

  /** Calls a method. Resolves to null where there is no bus, no such service, or an error for an answer. */
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

  /** All properties of an object; null where it does not answer. */
  async properties(object: BusObject): Promise<Properties | null> {
    const at = { ...object, interface: "org.freedesktop.DBus.Properties" };
    const answer = await this.call(at, "GetAll", "s", [object.interface]);
    return isRecord(answer) ? answer : null;
  }

  /** Calls back at each such signal. Returns how to stop. */
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

  /** Calls back when the bus came back, or went away: everything has to be asked again. */
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
      // Without the bus there are no signals either; when it is back, all rules are told to it anew.
    }
  }

  #open(): Promise<MessageBus | null> {
    if (this.#address === null || this.#retry !== undefined) return Promise.resolve(null);
    this.#client ??= this.#connect(this.#address);
    return this.#client;
  }

  /** Says hello itself: where the library does, a bus that refuses it would end this program. */
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
        // One that hangs would not let go of a connection that is only ended.
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
        if (opened !== null) this.#tellLife();
      });
    }, this.#retryMs);
    this.#retryMs = Math.min(longestRetryMs, this.#retryMs * 4);
    this.#tellLife();
  }

  #tellLife(): void {
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

/** The addresses of both buses, as every program finds them. */
export function busAddress(
  name: BusName,
  env: NodeJS.ProcessEnv,
  exists: (path: string) => boolean,
): string | null {
  if (name === "system") {
    const given = env["DBUS_SYSTEM_BUS_ADDRESS"];
    if (given !== undefined && given !== "") return given;
    const usual = "/run/dbus/system_bus_socket";
    return exists(usual) ? `unix:path=${usual}` : null;
  }
  const given = env["DBUS_SESSION_BUS_ADDRESS"];
  if (given !== undefined && given !== "") return given;
  // A user's service has no such variable where the session was started by other means.
  const folder = env["XDG_RUNTIME_DIR"];
  return folder !== undefined && exists(`${folder}/bus`) ? `unix:path=${folder}/bus` : null;
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
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
