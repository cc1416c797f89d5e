import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { SamplingWatch } from "./sampling-watch.ts";

let told: (string | null)[];
let usedMs: number;
let watch: SamplingWatch;

beforeEach(() => {
  vi.useFakeTimers();
  told = [];
  usedMs = 0;
  watch = new SamplingWatch(
    (step) => told.push(step),
    () => usedMs,
  );
});
afterEach(() => {
  vi.useRealTimers();
});

function choose(ms: number): void {
  watch.begin();
  vi.advanceTimersByTime(ms);
  usedMs += ms;
  watch.end();
}

describe("SamplingWatch", () => {
  it("tells nothing about short choices", () => {
    for (let token = 0; token < 1_000; token += 1) choose(40);
    expect(told).toEqual([]);
    expect(watch.isTooSlow).toBe(false);
  });

  it("tells the begin of a long choice while it lasts, and its end", () => {
    watch.begin();
    vi.advanceTimersByTime(60);
    expect(told).toEqual(["sample"]);
    watch.end();
    expect(told).toEqual(["sample", null]);
  });

  it("calls one choice of more than three seconds too slow", () => {
    choose(2_900);
    expect(watch.isTooSlow).toBe(false);
    choose(200);
    expect(watch.isTooSlow).toBe(true);
  });

  it("calls choices too slow that take long again and again, and forgets old ones", () => {
    for (let token = 0; token < 100; token += 1) choose(300);
    expect(watch.isTooSlow).toBe(false);
    for (let token = 0; token < 8; token += 1) choose(400);
    expect(watch.isTooSlow).toBe(true);
    for (let token = 0; token < 8; token += 1) choose(10);
    expect(watch.isTooSlow).toBe(false);
  });

  it("does not call a process slow that got no processor", () => {
    watch.begin();
    vi.advanceTimersByTime(60_000);
    watch.end();
    expect(watch.isTooSlow).toBe(false);
  });
});
