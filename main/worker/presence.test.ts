import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { silentLog } from "../log.ts";
import { oneToSixtySeconds } from "./back-off.ts";
import { type Capabilities, type ReportedActivity, UnknownDeviceError } from "./backend.ts";
import { Presence } from "./presence.ts";

const able: Capabilities = { threads: 1, memoryMb: 1, models: ["m"] };
const idle = { kind: "donating", reason: "idle", since: 1 } as const;
const inUse = { kind: "holding", reason: "in-use", since: 2 } as const;

/** A backend that refuses as often as it is told to. */
class RefusingBackend {
  helloRefusals = 0;
  reportRefusals = 0;
  error: Error = new Error("overloaded");
  readonly said: string[] = [];

  async hello(): Promise<void> {
    this.said.push("hello");
    if (this.helloRefusals-- > 0) throw this.error;
  }
  async report({ reason }: ReportedActivity): Promise<void> {
    this.said.push(reason);
    if (this.reportRefusals-- > 0) throw this.error;
  }
  async heartbeat(): Promise<void> {
    this.said.push("heartbeat");
  }
  async goodbye(): Promise<void> {
    this.said.push("goodbye");
  }
}

let backend: RefusingBackend;
let presence: Presence;

beforeEach(() => {
  vi.useFakeTimers();
  backend = new RefusingBackend();
  presence = new Presence({
    backend,
    version: "1",
    log: silentLog,
    heartbeatIdleMs: 10 * 60_000,
    onGreetAgain: () => void presence.greet(1, able),
    retryDelayMs: oneToSixtySeconds,
  });
});

afterEach(() => {
  presence.stop();
  vi.useRealTimers();
});

describe("a hello that was refused", () => {
  it("is said again after 1, 2, 4 … seconds, with nothing else happening, until it is taken", async () => {
    backend.helloRefusals = 3;
    expect(await presence.greet(1, able)).toBe(false);
    await vi.advanceTimersByTimeAsync(999);
    expect(backend.said).toEqual(["hello"]);
    await vi.advanceTimersByTimeAsync(1);
    expect(backend.said).toEqual(["hello", "hello"]);
    await vi.advanceTimersByTimeAsync(2_000 + 4_000);
    expect(backend.said).toHaveLength(4);
    expect(presence.isGreeted(1, able)).toBe(true);
    await vi.advanceTimersByTimeAsync(5 * 60_000);
    expect(backend.said).toHaveLength(4);
  });

  it("is not said sooner because somebody asks again, but at once on a new connection", async () => {
    backend.helloRefusals = 1;
    await presence.greet(1, able);
    await presence.greet(1, able);
    expect(backend.said).toHaveLength(1);
    expect(await presence.greet(2, able)).toBe(true);
  });

  it("is not said again to a backend that does not know the device, nor after the end", async () => {
    backend.helloRefusals = 1;
    backend.error = new UnknownDeviceError();
    await presence.greet(1, able);
    await vi.advanceTimersByTimeAsync(5 * 60_000);
    expect(backend.said).toEqual(["hello"]);

    backend.helloRefusals = 1;
    backend.error = new Error("overloaded");
    await presence.greet(1, able);
    await presence.goodbye();
    await vi.advanceTimersByTimeAsync(5 * 60_000);
    expect(backend.said).toEqual(["hello", "hello"]);
  });
});

describe("a report that was refused", () => {
  beforeEach(async () => {
    await presence.greet(1, able);
    backend.said.length = 0;
  });

  it("is sent again until it is taken, then no more", async () => {
    backend.reportRefusals = 2;
    presence.setActivity(idle);
    await vi.advanceTimersByTimeAsync(1_000 + 2_000);
    expect(backend.said).toEqual(["idle", "idle", "idle"]);
    await vi.advanceTimersByTimeAsync(5 * 60_000);
    expect(backend.said).toHaveLength(3);
  });

  it("gives way to what is true by then", async () => {
    backend.reportRefusals = 1;
    presence.setActivity(idle);
    await vi.advanceTimersByTimeAsync(10);
    presence.setActivity(inUse);
    await vi.advanceTimersByTimeAsync(60_000);
    expect(backend.said).toEqual(["idle", "in-use"]);
  });
});

describe("a goodbye", () => {
  it("follows a hello that is still on its way: the backend will have taken that one", async () => {
    const greeting = presence.greet(1, able);
    await presence.goodbye();
    await greeting;
    expect(backend.said).toEqual(["hello", "goodbye"]);
  });

  it("is not said by a device that never said hello", async () => {
    await presence.goodbye();
    expect(backend.said).toEqual([]);
  });
});
