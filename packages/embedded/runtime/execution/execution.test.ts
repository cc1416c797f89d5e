import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { limits } from "../checks/limits.ts";
import { type ActionExecution, endSoon, newActionExecution, newCallContext } from "./execution.ts";
import { unwatchMemory } from "./memory/memory-watch.ts";
import { beginOperation, endOfFetches, endOperation } from "./operations.ts";

vi.mock("./memory/memory-watch.ts");

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
  vi.clearAllMocks();
});

function httpAction(): ActionExecution {
  const context = newCallContext({ identity: { kind: "none" }, requestId: "request" });
  return newActionExecution("httpAction", { identifier: "GET /", component: "" }, context);
}

test("memory is watched while operations run whose client has left", () => {
  const execution = httpAction();
  beginOperation(execution, "fetch");
  endSoon(execution, false);
  vi.advanceTimersByTime(60_000);
  expect(unwatchMemory).not.toHaveBeenCalled();
  endOperation(execution, "fetch");
  vi.advanceTimersByTime(60_000);
  expect(unwatchMemory).toHaveBeenCalledWith(execution.time);
  expect(execution.ended).toBe(false);
  expect(vi.getTimerCount()).toBe(0);
});

test("operations whose client has left end with the time of an action", () => {
  const execution = httpAction();
  vi.advanceTimersByTime(60_000);
  beginOperation(execution, "fetch");
  endSoon(execution, false);
  vi.advanceTimersByTime(limits.actionTimeMs - 60_001);
  expect(execution.ended).toBe(false);
  vi.advanceTimersByTime(1);
  expect(execution.ended).toBe(true);
  expect(execution.time.error?.message).toContain("timed out");
  expect(vi.getTimerCount()).toBe(0);
});

test("an answer that is not read is aborted ten seconds after an HTTP action was answered", () => {
  const execution = httpAction();
  const fetches = endOfFetches(execution);
  endSoon(execution, true);
  vi.advanceTimersByTime(9_999);
  expect(fetches.aborted).toBe(false);
  vi.advanceTimersByTime(1);
  expect(fetches.aborted).toBe(true);
});

test("an answer that is still read after the client has left is aborted with the time of an action", () => {
  const execution = httpAction();
  const fetches = endOfFetches(execution);
  endSoon(execution, false);
  vi.advanceTimersByTime(limits.actionTimeMs - 1);
  expect(fetches.aborted).toBe(false);
  expect(unwatchMemory).not.toHaveBeenCalled();
  vi.advanceTimersByTime(1);
  expect(fetches.aborted).toBe(true);
});
