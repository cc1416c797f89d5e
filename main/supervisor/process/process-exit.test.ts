import { describe, expect, it } from "vitest";
import { type EndReason, isKilledFromOutside, isOrderly } from "./process-exit.ts";

describe("a process that exited", () => {
  it.each<[EndReason | null, boolean]>([
    ["abort", true],
    ["yield", true],
    ["rest", true],
    ["silence", false],
    ["memory", false],
    ["flood", false],
    [null, false],
  ])("tells whether an exit with reason %s is orderly: %s", (reason, orderly) => {
    expect(isOrderly(reason)).toBe(orderly);
  });

  it.each([
    ["linux", null, "SIGKILL", true],
    ["linux", null, "SIGTERM", true],
    ["darwin", 137, null, true],
    ["linux", 9, null, true],
    ["win32", 1, null, true],
    ["linux", 1, null, false],
    ["linux", null, "SIGSEGV", false],
    ["darwin", null, "SIGABRT", false],
    ["linux", 139, null, false],
    ["linux", 134, null, false],
    ["win32", 0xc0000005, null, false],
    ["win32", 0, null, false],
    ["linux", null, null, false],
  ] as const)(
    "tells on %s whether something else killed it, with code %s and signal %s: %s",
    (system, code, signal, outside) => {
      expect(isKilledFromOutside({ code, signal }, system)).toBe(outside);
    },
  );
});
