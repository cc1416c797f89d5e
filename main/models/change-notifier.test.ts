import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { ChangeNotifier } from "./change-notifier.ts";

let notified: number;
let notifier: ChangeNotifier;

beforeEach(() => {
  vi.useFakeTimers();
  notified = 0;
  notifier = new ChangeNotifier(() => (notified += 1));
});
afterEach(() => vi.useRealTimers());

it("notifies of frequent changes once a second, including the last one", () => {
  for (let at = 0; at < 30; at += 1) {
    notifier.soon();
    vi.advanceTimersByTime(100);
  }
  expect(notified).toBe(4);
  notifier.soon();
  vi.advanceTimersByTime(1_000);
  expect(notified).toBe(5);
});

it("notifies of an important change at once, and not again for pending ones", () => {
  notifier.now();
  notifier.soon();
  notifier.now();
  expect(notified).toBe(2);
  vi.advanceTimersByTime(5_000);
  expect(notified).toBe(2);
});

it("sends no notification after stop", () => {
  notifier.now();
  notifier.soon();
  notifier.stop();
  notifier.now();
  vi.advanceTimersByTime(5_000);
  expect(notified).toBe(1);
});
