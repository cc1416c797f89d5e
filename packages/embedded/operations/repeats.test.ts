import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { createLog } from "./log.ts";
import { summarizeRepeats } from "./repeats.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function logged() {
  const lines: string[] = [];
  const log = summarizeRepeats(
    createLog({ format: "json", level: "debug", write: (line) => lines.push(line), now: () => 0 }),
  );
  const entries = (): readonly unknown[] =>
    lines.splice(0).map((line) => ({ ...(JSON.parse(line) as object), time: undefined }));
  return { log, entries };
}

test("a flood of equal refusals becomes ten entries and one with their number", () => {
  const { log, entries } = logged();
  const refusal = { function: null, code: "not_found", message: "There is no public function of this name." };
  for (let call = 0; call < 8_500; call++)
    log.info("function.failed", { ...refusal, requestId: String(call) });
  expect(entries()).toHaveLength(10);
  vi.advanceTimersByTime(60_000);
  expect(entries()).toEqual([
    {
      level: "info",
      event: "log.repeated",
      of: "function.failed",
      function: null,
      code: "not_found",
      more: 8_490,
      seconds: 60,
    },
  ]);
  log.info("function.failed", refusal);
  expect(entries()).toHaveLength(1);
  vi.advanceTimersByTime(60_000);
  expect(entries()).toEqual([]);
});

test("entries of other functions, codes and events are written meanwhile, and so are errors", () => {
  const { log, entries } = logged();
  for (let call = 0; call < 20; call++) log.warn("function.failed", { function: "a.js:b", code: "invalid" });
  entries();
  log.warn("function.failed", { function: "a.js:b", code: "other" });
  log.warn("function.failed", { function: "a.js:c", code: "invalid" });
  log.warn("websocket.refused", { message: "x" });
  for (let call = 0; call < 20; call++) {
    log.error("api.failed");
    log.info("function.printed", { function: "a.js:b", message: "x" });
  }
  expect(entries()).toHaveLength(43);
});
