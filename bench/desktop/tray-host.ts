import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createClient, defineInterface, toPlain } from "dbus-native";

/** A session's D-Bus with a tray, as KDE's and GNOME's are: programs register their icons with it. */
export type TrayHost = {
  readonly busAddress: string;
  /** Resolves when the next program has registered its icon. */
  readonly nextIcon: () => Promise<TrayIcon>;
  readonly close: () => Promise<void>;
};

export type TrayIcon = {
  /** When it came, of `performance.now()`. */
  readonly at: number;
  /** The path of its object on the bus. */
  readonly path: string;
  /** Calls its program. Resolves to the answer as plain values; rejects if the program refuses. */
  readonly call: (method: Method, signature: string, body: readonly unknown[]) => Promise<unknown>;
  /** Clicks it. */
  readonly activate: () => Promise<void>;
};

type Method = { readonly path: string; readonly interface: string; readonly member: string };

export const hasDbusDaemon = (): boolean =>
  spawnSync("dbus-daemon", ["--version"], { stdio: "ignore" }).status === 0;

/** @param folder for the bus's socket. Its path has to be short. */
export async function startTrayHost(folder: string): Promise<TrayHost> {
  const busAddress = `unix:path=${join(folder, "bus")}`;
  const daemon = spawn(
    "dbus-daemon",
    ["--session", "--nofork", "--print-address", `--address=${busAddress}`],
    {
      stdio: ["ignore", "pipe", "ignore"],
    },
  );
  await once(daemon.stdout, "data");
  const client = createClient({ busAddress });
  client.connection.on("error", () => undefined);
  const waiting: ((icon: TrayIcon) => void)[] = [];
  const register = (
    { service }: { readonly service: string },
    { sender = "" }: { sender?: string },
  ): void => {
    const at = performance.now();
    // A program registers a name, or the path of its object.
    const [destination, path] = service.startsWith("/")
      ? [sender, service]
      : [service, "/StatusNotifierItem"];
    const call: TrayIcon["call"] = async (method, signature, body) =>
      toPlain(await client.invokeDbus({ destination, ...method, signature, body: [...body] }));
    waiting.shift()?.({
      at,
      path,
      call,
      activate: async () => {
        await call({ path, interface: "org.kde.StatusNotifierItem", member: "Activate" }, "ii", [0, 0]);
      },
    });
  };
  const watcher = defineInterface({
    name: "org.kde.StatusNotifierWatcher",
    methods: {
      RegisterStatusNotifierItem: { in: { service: "s" }, handler: register },
      RegisterStatusNotifierHost: { in: { service: "s" }, handler: () => undefined },
    },
    properties: {
      IsStatusNotifierHostRegistered: { type: "b", access: "read", value: true },
      ProtocolVersion: { type: "i", access: "read", value: 0 },
      RegisteredStatusNotifierItems: { type: "as", access: "read", value: [] },
    },
  });
  await client.export("/StatusNotifierWatcher", watcher);
  await client.ownName("org.kde.StatusNotifierWatcher");
  return {
    busAddress,
    nextIcon: () => new Promise((resolve) => waiting.push(resolve)),
    close: async () => {
      await client.close();
      daemon.kill();
      if (daemon.exitCode === null && daemon.signalCode === null) await once(daemon, "exit");
    },
  };
}
