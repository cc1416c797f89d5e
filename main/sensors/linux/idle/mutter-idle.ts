import type { Bus, BusObject } from "../dbus/bus.ts";
import { type IdleEvents, type IdlePort, quietMs } from "./idle-port.ts";

const monitor: BusObject = {
  service: "org.gnome.Mutter.IdleMonitor",
  path: "/org/gnome/Mutter/IdleMonitor/Core",
  interface: "org.gnome.Mutter.IdleMonitor",
};

/** GNOME's own idle monitor, on X11 and on Wayland. It reports the first input after a quiet time by itself. */
export function mutterIdle(bus: Bus): IdlePort {
  return { source: "GNOME's IdleMonitor", open: (events) => openMonitor(bus, events) };
}

async function openMonitor(bus: Bus, events: IdleEvents): Promise<(() => void) | null> {
  if (!bus.isThere) return null;
  const release = bus.hold();
  let running = true;
  let quietWatch: number | null = null;
  let activeWatch: number | null = null;

  const watchReturn = async (): Promise<void> => {
    activeWatch = asId(await bus.call(monitor, "AddUserActiveWatch"));
  };
  const stops = [
    bus.onSignal({ path: monitor.path, interface: monitor.interface, member: "WatchFired" }, ([id]) => {
      if (id === quietWatch) {
        events.quiet(quietMs);
        void watchReturn();
      } else if (id === activeWatch) {
        activeWatch = null;
        events.input();
      }
    }),
    bus.onSignal(
      {
        path: "/org/freedesktop/DBus",
        interface: "org.freedesktop.DBus",
        member: "NameOwnerChanged",
        arg0: monitor.service,
      },
      () => events.lost(),
    ),
    bus.onLife(() => events.lost()),
    release,
  ];
  const stop = (): void => {
    if (!running) return;
    running = false;
    for (const id of [quietWatch, activeWatch]) {
      if (id !== null) void bus.call(monitor, "RemoveWatch", "u", [id]);
    }
    for (const each of stops) each();
  };

  quietWatch = asId(await bus.call(monitor, "AddIdleWatch", "t", [quietMs]));
  const idleMs = await bus.call(monitor, "GetIdletime");
  if (quietWatch === null || typeof idleMs !== "number") {
    stop();
    return null;
  }
  if (idleMs >= quietMs) {
    events.quiet(idleMs);
    await watchReturn();
  }
  return stop;
}

function asId(answer: unknown): number | null {
  return typeof answer === "number" ? answer : null;
}
