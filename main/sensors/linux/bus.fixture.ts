import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createClient, defineInterface, type InterfaceDefinition, type MessageBus } from "dbus-native";

export const hasDbusDaemon = spawnSync("dbus-daemon", ["--version"]).status === 0;

/** A real dbus-daemon for one test. It keeps its address when it restarts. */
export class PrivateBus {
  readonly address: string;
  readonly #folder = mkdtempSync(join(tmpdir(), "gleaner-bus-"));
  #daemon: ChildProcess | null = null;

  constructor() {
    const socket = join(this.#folder, "socket");
    this.address = `unix:path=${socket}`;
    writeFileSync(
      join(this.#folder, "bus.conf"),
      `<!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN" "busconfig.dtd">
       <busconfig><type>session</type><listen>${this.address}</listen><auth>EXTERNAL</auth>
       <policy context="default"><allow send_destination="*"/><allow receive_sender="*"/><allow own="*"/></policy></busconfig>`,
    );
  }

  async start(): Promise<this> {
    const args = ["--nofork", "--print-address", `--config-file=${join(this.#folder, "bus.conf")}`];
    const daemon = spawn("dbus-daemon", args, { stdio: ["ignore", "pipe", "ignore"] });
    this.#daemon = daemon;
    await new Promise((resolve) => daemon.stdout.once("data", resolve));
    return this;
  }

  async kill(): Promise<void> {
    const daemon = this.#daemon;
    this.#daemon = null;
    if (daemon === null) return;
    const gone = new Promise((resolve) => daemon.once("exit", resolve));
    daemon.kill("SIGKILL");
    await gone;
    rmSync(join(this.#folder, "socket"), { force: true });
  }

  async stop(): Promise<void> {
    await this.kill();
    rmSync(this.#folder, { recursive: true });
  }
}

/** A program on that bus that imitates a system service. */
export class FakeService {
  readonly #client: MessageBus;
  readonly #signals = new Map<string, Record<string, (...args: unknown[]) => void>>();

  private constructor(client: MessageBus) {
    this.#client = client;
  }

  static async start(
    bus: PrivateBus,
    name: string,
    objects: Readonly<Record<string, InterfaceDefinition>>,
  ): Promise<FakeService> {
    const client = createClient({ busAddress: bus.address });
    client.connection.on("error", () => undefined);
    const service = new FakeService(client);
    for (const [path, definition] of Object.entries(objects)) {
      const defined = defineInterface(definition);
      await client.export(path, defined);
      service.#signals.set(`${path} ${definition.name}`, defined.emit);
    }
    await client.ownName(name);
    return service;
  }

  /** Reports changed properties. Later reads of the definition return the new values, too. */
  changed(path: string, interfaceName: string, properties: Record<string, unknown>): void {
    this.#client.emitPropertiesChanged(path, interfaceName, properties);
  }

  signal(path: string, interfaceName: string, name: string, ...args: readonly unknown[]): void {
    this.#signals.get(`${path} ${interfaceName}`)?.[name]?.(...args);
  }

  async stop(): Promise<void> {
    await this.#client.close();
  }
}

/** Defines readable properties from a record that the test changes. */
export function propertiesOf<T extends Record<string, unknown>>(
  values: T,
  types: { readonly [K in keyof T]: string },
): NonNullable<InterfaceDefinition["properties"]> {
  return Object.fromEntries(
    Object.keys(values).map((name) => [
      name,
      { type: types[name] ?? "s", access: "read", get: () => values[name] },
    ]),
  );
}
