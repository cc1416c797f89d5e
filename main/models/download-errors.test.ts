import { expect, it } from "vitest";
import { DownloadErrors } from "./download-errors.ts";

it("rests longer each time, and not for ever", () => {
  const troubles = new DownloadErrors();
  const rests = Array.from({ length: 12 }, () => {
    troubles.keep("a", "unreachable", null, null, 1_000);
    return (troubles.of("a")?.until ?? 0) - 1_000;
  });
  expect(rests[0]).toBeGreaterThanOrEqual(3_750);
  expect(rests[0]).toBeLessThanOrEqual(6_250);
  expect(rests[3]).toBeGreaterThan(rests[0]!);
  expect(Math.max(...rests)).toBeLessThanOrEqual(15 * 60_000 * 1.25);
  expect(troubles.isResting("a", 1_001)).toBe(true);
  expect(troubles.isResting("a", 10_000_000)).toBe(false);
  expect(troubles.isResting("b", 0)).toBe(false);
});

it("rests as long as it was told to, or until something changes", () => {
  const troubles = new DownloadErrors();
  troubles.keep("a", "source-refused", "why", 500, 1_000);
  troubles.keep("b", "wrong-content", "why", Infinity, 1_000);
  expect(troubles.nextAt(1_000)).toBe(1_500);
  expect(troubles.nextAt(1_500)).toBe(Infinity);
  troubles.keepOnly(new Set(["b"]));
  expect(troubles.of("a")).toBeNull();
  expect(troubles.isResting("b", 1e15)).toBe(true);
  troubles.forget("b");
  expect(troubles.of("b")).toBeNull();
});

it("does not come back at once again and again, although a server says that it may", () => {
  const troubles = new DownloadErrors();
  troubles.keep("a", "unreachable", null, 0, 1_000);
  expect(troubles.isResting("a", 1_000)).toBe(false);
  troubles.keep("a", "unreachable", null, 0, 1_000);
  expect(troubles.isResting("a", 4_000)).toBe(true);
});
