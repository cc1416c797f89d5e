import { expect, test } from "vitest";
import { Acknowledgments, none, settleMs } from "./acknowledgments.ts";

test("a mutation is acknowledged by a pong to a ping sent after its transition, after the settle time", () => {
  const seen = new Acknowledgments();
  const before = seen.ping();
  seen.covered(3);
  const after = seen.ping();
  seen.pong(before, 0);
  expect(seen.through(settleMs * 2)).toBe(none);
  seen.pong(after, 1000);
  expect(seen.through(1000 + settleMs - 1)).toBe(none);
  expect(seen.through(1000 + settleMs)).toBe(3);
});

test("an unknown pong acknowledges nothing", () => {
  const seen = new Acknowledgments();
  seen.covered(1);
  seen.pong("7", 0);
  seen.pong("", 0);
  expect(seen.through(settleMs)).toBe(none);
});

test("a pong also answers all earlier pings", () => {
  const seen = new Acknowledgments();
  seen.ping();
  const last = seen.ping();
  expect(seen.unansweredPings).toBe(2);
  seen.pong(last, 0);
  expect(seen.unansweredPings).toBe(0);
});
