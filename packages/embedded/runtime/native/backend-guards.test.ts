import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { type Execution, executions } from "../execution/execution.ts";
import { ExecutionTime } from "../execution/execution-time.ts";
import { guardRepeatable } from "./backend-guards.ts";

// As before Node 24.
Reflect.deleteProperty(Promise, "try");
guardRepeatable();
const { then } = Promise.prototype;
guardRepeatable();

/** Never goes back, as the real one. */
let now = performance.now();
let computed = now;

beforeEach(() => {
  pass(1_000);
  vi.spyOn(performance, "now").mockImplementation(() => now);
  vi.spyOn(process, "threadCpuUsage").mockImplementation(() => ({ user: computed * 1_000, system: 0 }));
});
afterEach(() => void vi.restoreAllMocks());

function pass(ms: number, computedMs = ms): void {
  now += ms;
  computed += computedMs;
}

const promise = Promise.resolve();

/** V8 calls the guarded `then` of a promise in a job of its own. */
async function job(): Promise<void> {
  await { then: promise.then.bind(promise) };
}

/** Runs in a query, in one turn of the event loop. */
async function inQuery(run: (execution: Execution) => Promise<void>): Promise<void> {
  await new Promise((resolve) => setImmediate(resolve));
  const execution = { time: new ExecutionTime("total"), ended: false } as Execution;
  await executions.run(execution, async () => {
    execution.time.start();
    await run(execution);
  });
}

test("a function that makes V8 call functions of the backend without end is ended in a turn that is very long", async () => {
  const calls = inQuery(async () => {
    for (let round = 0; round < 100; round += 1) {
      pass(300);
      await job();
    }
  });
  await expect(calls).rejects.toThrow("Function execution timed out");
});

test("a function is not charged for what the backend has computed before its job", async () => {
  await inQuery(async ({ time }) => {
    pass(10_000);
    await job();
    pass(500);
    await job();
    expect(time.usedMs).toBeLessThanOrEqual(500);
    expect(time.error).toBe(null);
  });
});

test("what an ended function has left is stopped in a turn that is very long, unless other programs had the processor", async () => {
  const leaving = (computedMs: number) =>
    inQuery(async (execution) => {
      execution.ended = true;
      for (let round = 0; round < 10; round += 1) {
        pass(10_000, computedMs);
        await job();
      }
    });
  await leaving(1);
  await expect(leaving(10_000)).rejects.toThrow("ended already");
});

test("functions are guarded once, and those that this Node does not have are left out", () => {
  expect(Promise.prototype.then).toBe(then);
  expect([then.name, then.length, "try" in Promise]).toEqual(["then", 2, false]);
});
