import { expect, onTestFinished, test } from "vitest";
import { openEngine } from "../../engine/engine.ts";
import { bundleFunctions } from "../../runtime/bundle/bundle.ts";
import { createFunctionRuntime } from "../../runtime/create-function-runtime.ts";
import { testApp } from "../../test-app.fixture.ts";
import { LiveQueries } from "./live-queries.ts";
import { QuerySet } from "./query-set.ts";

const nobody = { kind: "none" } as const;
const queries = 100;

async function setUp() {
  const bundled = await bundleFunctions(testApp);
  if (bundled.kind === "failed") throw new Error(bundled.message);
  const engine = openEngine({ path: ":memory:" });
  onTestFinished(() => engine.close());
  const runner = createFunctionRuntime({ engine, bundle: bundled.bundle });
  const set = new QuerySet(new LiveQueries({ engine, runner, nextRequestId: () => "r" }), () => undefined);
  const send = (channel: number) =>
    runner.runMutation({
      path: "messages:send",
      args: { channel: String(channel), body: "x" },
      identity: nobody,
      requestId: "r",
    });
  return { set, send, changes: () => set.changesAt(engine.durable()) };
}

const add = (queryId: number, channel = String(queryId)) => ({
  type: "Add" as const,
  queryId,
  udfPath: "messages:list",
  args: { channel },
  journal: null,
});
const all = Array.from({ length: queries }, (_, queryId) => add(queryId));

test("a commit that affects one query causes a check of only that one", async () => {
  const { set, send, changes } = await setUp();
  set.modify(all, nobody);
  expect((await changes()).results.size).toBe(queries);
  expect((await changes()).results.size).toBe(0);
  await send(7);
  await send(queries);
  const { results } = await changes();
  expect([...results].map(([queryId, { outcome }]) => [queryId, outcome])).toEqual([
    [7, { kind: "success", value: ["x"] }],
  ]);
  expect((await changes()).results.size).toBe(0);
});

test("added, removed and re-identified queries are checked once", async () => {
  const { set, changes } = await setUp();
  set.modify(all, nobody);
  await changes();
  set.modify([{ type: "Remove", queryId: 1 }, { type: "Remove", queryId: 2 }, add(2), add(queries)], nobody);
  const { removed, results } = await changes();
  expect([removed, [...results.keys()]]).toEqual([[1], [2, queries]]);
  set.reidentify({ kind: "admin" });
  expect((await changes()).results.size).toBe(queries);
  expect(await changes()).toEqual({ removed: [], results: new Map() });
});

test("the size of kept arguments is limited", async () => {
  const { set } = await setUp();
  const half = "x".repeat(33 * 2 ** 20);
  expect(set.modify([add(1, half)], nobody)).toEqual({ kind: "ok" });
  expect(set.modify([add(2, half)], nobody)).toMatchObject({ kind: "refused" });
  expect(set.modify([{ type: "Remove", queryId: 1 }, add(2, half)], nobody)).toEqual({ kind: "ok" });
});
