import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { oneToSixtySeconds } from "./back-off.ts";
import { Greeting } from "./greeting.ts";
import { silentLog } from "./log.ts";
import type { Capabilities } from "./protocol.ts";
import { UnknownWorkerError } from "./refusal.ts";

const able: Capabilities = { kinds: ["hash"] };
const minutes = 60_000;

let said: string[];
let refusals: Error[];
let greeting: Greeting;

beforeEach(() => {
  vi.useFakeTimers();
  said = [];
  refusals = [];
  greeting = new Greeting({
    hello: async ({ kinds }, startup) => {
      said.push(`${startup ? "first " : ""}${kinds.join()}`);
      const refusal = refusals.shift();
      if (refusal !== undefined) throw refusal;
      return { leaseMs: 40_000 };
    },
    log: silentLog,
    onGreeted: () => said.push("greeted"),
    onAgain: () => greeting.greet(1, able),
    retryDelayMs: oneToSixtySeconds,
  });
});

afterEach(() => {
  greeting.stop();
  vi.useRealTimers();
});

const settle = (): Promise<unknown> => vi.advanceTimersByTimeAsync(0);

describe("a hello", () => {
  it("is said once a connection, and again when what the worker can do changes", async () => {
    greeting.greet(1, able);
    greeting.greet(1, able);
    await settle();
    greeting.greet(1, able);
    greeting.greet(2, able);
    await settle();
    greeting.greet(2, { kinds: ["hash", "zip"] });
    await settle();
    expect(said).toEqual(["first hash", "greeted", "hash", "greeted", "hash,zip", "greeted"]);
    expect(greeting.isGreeted(2, able)).toBe(false);
    expect(greeting.isGreeted(2, { kinds: ["hash", "zip"] })).toBe(true);
  });

  it("that was refused is said again after 1, 2, 4 … seconds until it is taken, still as the first", async () => {
    refusals = [new Error("overloaded"), new Error("overloaded"), new Error("overloaded")];
    greeting.greet(1, able);
    await vi.advanceTimersByTimeAsync(999);
    expect(said).toEqual(["first hash"]);
    await vi.advanceTimersByTimeAsync(1 + 2_000 + 4_000);
    expect(said).toEqual(["first hash", "first hash", "first hash", "first hash", "greeted"]);
    await vi.advanceTimersByTimeAsync(5 * minutes);
    expect(said).toHaveLength(5);
  });

  it("that was refused is not said sooner because somebody asks, but at once on a new connection", async () => {
    refusals = [new Error("overloaded")];
    greeting.greet(1, able);
    await settle();
    greeting.greet(1, able);
    await settle();
    expect(said).toHaveLength(1);
    greeting.greet(2, able);
    await settle();
    expect(greeting.isGreeted(2, able)).toBe(true);
  });

  it("is not said again to a queue that does not know the key, until somebody says that it may", async () => {
    refusals = [new UnknownWorkerError()];
    greeting.greet(1, able);
    await vi.advanceTimersByTimeAsync(5 * minutes);
    greeting.greet(1, able);
    await settle();
    expect(said).toEqual(["first hash"]);
    greeting.again();
    greeting.greet(1, able);
    await settle();
    expect(said).toEqual(["first hash", "first hash", "greeted"]);
  });
});
