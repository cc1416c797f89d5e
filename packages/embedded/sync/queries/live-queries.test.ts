import { setTimeout as sleep } from "node:timers/promises";
import { expect, onTestFinished, test } from "vitest";
import { openEngine } from "../../engine/engine.ts";
import { bundleFunctions } from "../../runtime/bundle/bundle.ts";
import type { FunctionRunner } from "../../runtime/contract/function-runner.ts";
import { createFunctionRuntime } from "../../runtime/create-function-runtime.ts";
import { testApp } from "../../test-app.fixture.ts";
import { LiveQueries } from "./live-queries.ts";
import type { LiveQuery } from "./live-query.ts";

const nobody = { kind: "none" } as const;

/** The real engine and runner over the test app's functions. Counts query runs. */
async function setUp() {
  const bundled = await bundleFunctions(testApp);
  if (bundled.kind === "failed") throw new Error(bundled.message);
  const engine = openEngine({ path: ":memory:" });
  onTestFinished(() => engine.close());
  const runtime = createFunctionRuntime({ engine, bundle: bundled.bundle });
  const runs: string[] = [];
  const runner: Pick<FunctionRunner, "runQuery"> = {
    runQuery: (call) => {
      runs.push(JSON.stringify(call.args));
      return runtime.runQuery(call);
    },
  };
  const live = new LiveQueries({ engine, runner, nextRequestId: () => "r" });
  const send = (channel: string) =>
    runtime.runMutation({
      path: "messages:send",
      args: { channel, body: "x" },
      identity: nobody,
      requestId: "r",
    });
  return { engine, live, runs, send };
}

const list = (channel: string) => ({
  path: "messages:list",
  args: { channel },
  identity: nobody,
  journal: null,
});

test("equal queries share a run, and others have their own", async () => {
  const { engine, live, runs } = await setUp();
  const watched = ["a", "a", "b"].map((channel) => live.watch(list(channel), () => undefined));
  const ts = engine.durable();
  await Promise.all(watched.map(({ query }) => query.at(ts)));
  expect(runs).toHaveLength(2);
  for (const { release } of watched) release();
  expect(live.size).toBe(0);
  expect(engine.stats().subscriptions).toBe(0);
});

test("pages with equal ends share a run, and a new watcher gets a page of the asked length", async () => {
  const { engine, live, runs, send } = await setUp();
  const args = { channel: "a", paginationOpts: { numItems: 2, cursor: null } };
  const spec = { ...list("a"), path: "messages:page", args };
  for (let n = 0; n < 3; n++) await send("a");
  const ended = async (query: LiveQuery) => ({
    ...spec,
    journal: (await query.at(engine.durable())).journal,
  });
  const early = live.watch(spec, () => undefined);
  const late = live.watch(spec, () => undefined);
  const [ofEarly, ofLate] = [await ended(early.query), await ended(late.query)];
  expect([runs.length, ofEarly]).toEqual([1, ofLate]);
  const pages = [ofEarly, ofLate].map((each) => live.watch(each, () => undefined));
  await Promise.all(pages.map(({ query }) => query.at(engine.durable())));
  expect(runs).toHaveLength(2);
  const { query } = live.watch(spec, () => undefined);
  expect(query).not.toBe(pages[0]!.query);
  expect(query.spec.journal).toBeNull();
});

test("argument order makes no difference, identity does", async () => {
  const { live } = await setUp();
  const spec = list("a");
  const first = live.watch({ ...spec, args: { a: 1, b: { c: 2, d: 3 } } }, () => undefined);
  const same = live.watch({ ...spec, args: { b: { d: 3, c: 2 }, a: 1 } }, () => undefined);
  const admin = live.watch({ ...spec, identity: { kind: "admin" } }, () => undefined);
  expect(same.query).toBe(first.query);
  expect(admin.query).not.toBe(first.query);
});

test("only a commit into the read set causes a new run", async () => {
  const { engine, live, runs, send } = await setUp();
  let told = 0;
  const { query } = live.watch(list("a"), () => told++);
  const before = await query.at(engine.durable());
  await send("b");
  expect(await query.at(engine.durable())).toBe(before);
  expect([told, runs.length]).toEqual([0, 1]);
  await send("a");
  expect(told).toBe(1);
  const after = await query.at(engine.durable());
  expect(after.outcome).toEqual({ kind: "success", value: ["x"] });
  expect(runs).toHaveLength(2);
});

test("results are as of the requested timestamp, even during commits", async () => {
  const { engine, live, send } = await setUp();
  const { query } = live.watch(list("a"), () => undefined);
  for (let round = 0; round < 10; round++) {
    const pin = engine.begin({ snapshot: engine.durable() });
    const asked = query.at(pin.snapshot);
    const writing = send("a");
    const { outcome } = await asked;
    expect(outcome).toMatchObject({ value: Array.from({ length: round }, () => "x") });
    engine.discard(pin);
    await writing;
    await sleep(0);
  }
});

test("a run with the same result keeps the previous result object", async () => {
  const { engine, live, runs, send } = await setUp();
  const { query } = live.watch({ ...list("a"), path: "counters:get", args: { name: "n" } }, () => undefined);
  const before = await query.at(engine.durable());
  await send("a");
  expect(await query.at(engine.durable())).toBe(before);
  expect(runs).toHaveLength(1);
});

test("a query that is watched twice, also by the same user with a new token, ends with the second release", async () => {
  const { engine, live, runs } = await setUp();
  const told = (): void => undefined;
  const user = { kind: "user", attributes: { subject: "ann", issuer: "i" } } as const;
  const first = live.watch({ ...list("a"), identity: user }, told);
  const result = await first.query.at(engine.durable());
  const second = live.watch({ ...list("a"), identity: structuredClone(user) }, told);
  first.release();
  expect(await second.query.at(engine.durable())).toBe(result);
  const other = live.watch(
    { ...list("a"), identity: { ...user, attributes: { subject: "ben", issuer: "i" } } },
    told,
  );
  expect(other.query).not.toBe(second.query);
  second.release();
  other.release();
  expect([runs.length, live.size]).toEqual([1, 0]);
});
