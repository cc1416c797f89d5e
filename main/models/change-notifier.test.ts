import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { ChangeNotifier } from "./change-notifier.ts";

let told: number;
let telling: ChangeNotifier;

beforeEach(() => {
  vi.useFakeTimers();
  told = 0;
  telling = new ChangeNotifier(() => (told += 1));
});
afterEach(() => vi.useRealTimers());

it("tells once a second of what comes all the time, the last of it included", () => {
  for (let at = 0; at < 30; at += 1) {
    telling.soon();
    vi.advanceTimersByTime(100);
  }
  expect(told).toBe(4);
  telling.soon();
  vi.advanceTimersByTime(1_000);
  expect(told).toBe(5);
});

it("tells at once what matters, and then not the same again", () => {
  telling.now();
  telling.soon();
  telling.now();
  expect(told).toBe(2);
  vi.advanceTimersByTime(5_000);
  expect(told).toBe(2);
});

it("tells nothing once it is stopped", () => {
  telling.now();
  telling.soon();
  telling.stop();
  telling.now();
  vi.advanceTimersByTime(5_000);
  expect(told).toBe(1);
});
