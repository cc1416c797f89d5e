import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { insertOne } from "../engine.fixture.ts";
import { openEngine } from "../engine.ts";
import { SnapshotTooOldError } from "../model/errors.ts";
import type { Engine } from "../model/types.ts";
import { defaultRetention } from "./write-log.ts";

let engine: Engine;

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "Date"] });
  engine = openEngine({ path: ":memory:" });
});
afterEach(async () => {
  await engine.close();
  vi.useRealTimers();
});

test("commits before an idle period are dropped", async () => {
  const before = engine.durable();
  await insertOne(engine, "jobs", { n: 1 });
  engine.discard(engine.begin({ snapshot: before }));
  vi.advanceTimersByTime(2 * defaultRetention.windowMs);
  expect(() => engine.begin({ snapshot: before })).toThrow(SnapshotTooOldError);
  expect(vi.getTimerCount()).toBe(0);
});

test("commits are kept while a transaction reads an older snapshot", async () => {
  const reader = engine.begin();
  await insertOne(engine, "jobs", { n: 1 });
  vi.advanceTimersByTime(3 * defaultRetention.windowMs);
  expect(reader.scan({ table: "jobs", index: "by_id", lower: "", upper: null }, "asc").next()).toBeNull();
  engine.discard(reader);
  vi.advanceTimersByTime(2 * defaultRetention.windowMs);
  expect(vi.getTimerCount()).toBe(0);
});
