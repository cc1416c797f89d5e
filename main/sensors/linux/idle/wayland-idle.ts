import { createConnection, type Socket } from "node:net";
import { type IdleEvents, type IdlePort, quietMs } from "./idle-port.ts";
import { decodeMessages, encodeMessage, readString, type WaylandMessage } from "./wayland-wire.ts";

/** A compositor that does not answer within this time counts as broken. */
const openWithinMs = 3_000;

// The client chooses object ids. wl_display is always 1.
const display = 1;
const registry = 2;
const synced = 3;
const seat = 4;
const notifier = 5;
const notification = 6;

type Global = { readonly name: number; readonly version: number };

/**
 * Wayland's ext-idle-notify. The compositor reports when there was no input for the quiet time, and the next input.
 * KDE, Sway, Hyprland, COSMIC and others have it. GNOME has its own monitor.
 */
export function waylandIdle(socketPath: string): IdlePort {
  return {
    source: "Wayland's idle notification",
    open: (events) => openNotification(socketPath, events),
  };
}

/** Finds the compositor's socket in the standard way. Null without one. */
export function waylandSocket(env: NodeJS.ProcessEnv): string | null {
  const name = env["WAYLAND_DISPLAY"];
  if (name === undefined || name === "") return null;
  if (name.startsWith("/")) return name;
  const folder = env["XDG_RUNTIME_DIR"];
  return folder === undefined ? null : `${folder}/${name}`;
}

function openNotification(socketPath: string, events: IdleEvents): Promise<(() => void) | null> {
  return new Promise((resolve) => {
    const socket: Socket = createConnection(socketPath);
    const globals = new Map<string, Global>();
    let rest: Buffer = Buffer.alloc(0);
    let opened = false;
    const timer = setTimeout(() => end(), openWithinMs);
    const end = (): void => {
      clearTimeout(timer);
      socket.destroy();
      if (opened) events.lost();
      else resolve(null);
    };
    const send = (object: number, opcode: number, ...args: readonly (number | string)[]): void => {
      socket.write(encodeMessage(object, opcode, args));
    };
    const bind = (): boolean => {
      const hands = globals.get("wl_seat");
      const idle = globals.get("ext_idle_notifier_v1");
      if (hands === undefined || idle === undefined) return false;
      // Since version 2, a video that keeps the screen awake does not count as input.
      const version = Math.min(2, idle.version);
      send(registry, 0, hands.name, "wl_seat", 1, seat);
      send(registry, 0, idle.name, "ext_idle_notifier_v1", version, notifier);
      send(notifier, version >= 2 ? 2 : 1, notification, quietMs, seat);
      return true;
    };
    const hear = ({ object, opcode, body }: WaylandMessage): boolean => {
      if (object === display && opcode === 0) return false;
      if (object === registry && opcode === 0) readGlobal(body, globals);
      if (object === synced) {
        if (!bind()) return false;
        clearTimeout(timer);
        opened = true;
        resolve(() => {
          opened = false;
          socket.destroy();
        });
      }
      if (object === notification && opcode === 0) events.quiet(quietMs);
      if (object === notification && opcode === 1) events.input();
      return true;
    };
    socket.on("connect", () => {
      send(display, 1, registry);
      send(display, 0, synced);
    });
    socket.on("data", (data: Buffer) => {
      const decoded = decodeMessages(Buffer.concat([rest, data]));
      if (decoded === null || !decoded.messages.every(hear)) {
        end();
        return;
      }
      rest = decoded.rest;
    });
    socket.on("error", () => undefined);
    socket.on("close", () => {
      clearTimeout(timer);
      if (opened) events.lost();
      else resolve(null);
      opened = false;
    });
  });
}

function readGlobal(body: Buffer, globals: Map<string, Global>): void {
  const name = readString(body, 4);
  if (name === null || body.length < name.next + 4) return;
  // With several seats, assumes that the person uses the first one.
  if (globals.has(name.value)) return;
  globals.set(name.value, { name: body.readUInt32LE(0), version: body.readUInt32LE(name.next) });
}
