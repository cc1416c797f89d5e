import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { CardEnergy } from "./card-energy.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

it("gives one answer to all that wait, and asks for each", async () => {
  const energy = new CardEnergy();
  const send = vi.fn();
  const both = Promise.all([energy.ask(send), energy.ask(send)]);
  energy.answer(42);
  expect(await both).toEqual([42, 42]);
  expect(send).toHaveBeenCalledTimes(2);
});

it("does not wait for a runner that is silent, and ignores its late answer", async () => {
  const energy = new CardEnergy();
  const first = energy.ask(() => undefined);
  await vi.advanceTimersByTimeAsync(1_000);
  expect(await first).toBeNull();
  energy.answer(42);
  const second = energy.ask(() => energy.answer(43));
  expect(await second).toBe(43);
});
