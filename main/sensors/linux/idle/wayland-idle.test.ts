import { mkdtemp, rm } from "node:fs/promises";
import { createServer, type Server, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { known } from "../../../../app/facts/facts.ts";
import { unknownIdle } from "../../base/idle.ts";
import { DesktopIdle } from "./desktop-idle.ts";
import { waylandIdle, waylandSocket } from "./wayland-idle.ts";
import { decodeMessages, encodeMessage, readString } from "./wayland-wire.ts";

const soon = { timeout: 60_000, interval: 10 };
const [registry, synced, seat, notifier, notification] = [2, 3, 4, 5, 6];

type Globals = readonly (readonly [name: number, kind: string, version: number])[];

/** A compositor with only the idle notification, built from the protocol's description. */
class Compositor {
  readonly path: string;
  readonly requests: string[] = [];
  readonly #server: Server;
  readonly #globals: Globals;
  #socket: Socket | null = null;

  constructor(path: string, globals: Globals) {
    this.path = path;
    this.#globals = globals;
    this.#server = createServer((socket) => {
      this.#socket = socket;
      let rest: Buffer = Buffer.alloc(0);
      socket.on("error", () => undefined);
      socket.on("data", (data: Buffer) => {
        const decoded = decodeMessages(Buffer.concat([rest, data]));
        rest = decoded?.rest ?? rest;
        for (const { object, opcode, body } of decoded?.messages ?? []) this.#answer(object, opcode, body);
      });
    });
  }

  start(): Promise<void> {
    return new Promise((resolve) => this.#server.listen(this.path, resolve));
  }

  send(object: number, opcode: number, ...args: readonly (number | string)[]): void {
    // In two chunks, since a stream may split a message anywhere.
    const bytes = encodeMessage(object, opcode, args);
    this.#socket?.write(bytes.subarray(0, 5));
    this.#socket?.write(bytes.subarray(5));
  }

  stop(): void {
    this.#socket?.destroy();
    this.#server.close();
  }

  #answer(object: number, opcode: number, body: Buffer): void {
    if (object === 1 && opcode === 1) {
      for (const [name, kind, version] of this.#globals) this.send(registry, 0, name, kind, version);
    } else if (object === 1 && opcode === 0) {
      this.send(synced, 0, 0);
    } else if (object === registry) {
      const kind = readString(body, 4);
      const [version, id] = [body.readUInt32LE(kind?.next ?? 0), body.readUInt32LE((kind?.next ?? 0) + 4)];
      this.requests.push(`bind ${kind?.value ?? ""} ${version} as ${id}`);
    } else if (object === notifier) {
      const [id, ms, hands] = [body.readUInt32LE(0), body.readUInt32LE(4), body.readUInt32LE(8)];
      this.requests.push(`notify ${opcode} as ${id} after ${ms} of ${hands}`);
    }
  }
}

describe("Wayland's idle notification", () => {
  let folder: string;
  let compositor: Compositor | null = null;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), "gleaner-wayland-"));
  });
  afterEach(async () => {
    compositor?.stop();
    compositor = null;
    await rm(folder, { recursive: true });
  });

  const start = async (...globals: Globals): Promise<Compositor> => {
    compositor = new Compositor(join(folder, "wayland-0"), globals);
    await compositor.start();
    return compositor;
  };

  it("reports quiet and input on Wayland", async () => {
    const screen = await start([1, "wl_compositor", 5], [7, "wl_seat", 8], [9, "ext_idle_notifier_v1", 2]);
    const idle = new DesktopIdle([waylandIdle(screen.path)], unknownIdle);
    let inputs = 0;
    idle.onInput(() => (inputs += 1));
    idle.start(() => undefined);
    await vi.waitFor(() => expect(screen.requests).toHaveLength(3), soon);
    expect(screen.requests).toEqual([
      `bind wl_seat 1 as ${seat}`,
      `bind ext_idle_notifier_v1 2 as ${notifier}`,
      `notify 2 as ${notification} after 2000 of ${seat}`,
    ]);
    expect(idle.sample()).toEqual(known(0));
    screen.send(seat, 0, 3);
    screen.send(notification, 0);
    await vi.waitFor(() => {
      const seconds = idle.sample();
      expect(seconds.known && seconds.value >= 2).toBe(true);
    }, soon);
    screen.send(notification, 1);
    await vi.waitFor(() => expect([inputs, idle.sample()]).toEqual([1, known(0)]), soon);
    screen.stop();
    await vi.waitFor(() => expect(idle.source()).toBe(unknownIdle.source()), soon);
    idle.stop();
  });

  it("uses the first version of the protocol with an old compositor", async () => {
    const screen = await start([7, "wl_seat", 8], [9, "ext_idle_notifier_v1", 1]);
    const close = await waylandIdle(screen.path).open(silent);
    await vi.waitFor(() => expect(screen.requests[2]).toMatch(/^notify 1 /), soon);
    close?.();
  });

  const silent = { quiet: () => undefined, input: () => undefined, lost: () => undefined };

  it("does not open without idle notification or without a compositor", async () => {
    const screen = await start([7, "wl_seat", 8]);
    expect(await waylandIdle(screen.path).open(silent)).toBeNull();
    expect(await waylandIdle(join(folder, "nothing")).open(silent)).toBeNull();
  });

  it("refuses bytes that are not Wayland messages", () => {
    expect(decodeMessages(Buffer.from("HTTP/1.1 400 Bad Request"))).toBeNull();
    expect(decodeMessages(Buffer.from([1, 0, 0, 0, 0, 0, 4, 0]))).toBeNull();
    expect(readString(Buffer.from([200, 0, 0, 0, 65, 0, 0, 0]), 0)).toBeNull();
  });

  it("finds Wayland's socket by the standard variables", () => {
    expect(waylandSocket({})).toBeNull();
    expect(waylandSocket({ WAYLAND_DISPLAY: "wayland-1" })).toBeNull();
    expect(waylandSocket({ WAYLAND_DISPLAY: "wayland-1", XDG_RUNTIME_DIR: "/run/user/7" })).toBe(
      "/run/user/7/wayland-1",
    );
    expect(waylandSocket({ WAYLAND_DISPLAY: "/tmp/here" })).toBe("/tmp/here");
  });
});
