import { expect, it } from "vitest";
import { DownloadErrors } from "./download-errors.ts";

it("doubles the pause after each error, up to a limit", () => {
  const errors = new DownloadErrors();
  const rests = Array.from({ length: 12 }, () => {
    errors.keep("a", "unreachable", null, null, 1_000);
    return (errors.of("a")?.until ?? 0) - 1_000;
  });
  expect(rests[0]).toBeGreaterThanOrEqual(3_750);
  expect(rests[0]).toBeLessThanOrEqual(6_250);
  expect(rests[3]).toBeGreaterThan(rests[0]!);
  expect(Math.max(...rests)).toBeLessThanOrEqual(15 * 60_000 * 1.25);
  expect(errors.isResting("a", 1_001)).toBe(true);
  expect(errors.isResting("a", 10_000_000)).toBe(false);
  expect(errors.isResting("b", 0)).toBe(false);
});

it("pauses as long as the server demands, or until something changes", () => {
  const errors = new DownloadErrors();
  errors.keep("a", "source-refused", "why", 500, 1_000);
  errors.keep("b", "wrong-content", "why", Infinity, 1_000);
  expect(errors.nextAt(1_000)).toBe(1_500);
  expect(errors.nextAt(1_500)).toBe(Infinity);
  errors.keepOnly(new Set(["b"]));
  expect(errors.of("a")).toBeNull();
  expect(errors.isResting("b", 1e15)).toBe(true);
  errors.forget("b");
  expect(errors.of("b")).toBeNull();
});

it("backs off from the second error on, although the server allows an immediate retry", () => {
  const errors = new DownloadErrors();
  errors.keep("a", "unreachable", null, 0, 1_000);
  expect(errors.isResting("a", 1_000)).toBe(false);
  errors.keep("a", "unreachable", null, 0, 1_000);
  expect(errors.isResting("a", 4_000)).toBe(true);
});
