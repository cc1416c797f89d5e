import { afterEach, describe, expect, test } from "vitest";
import { openEngine } from "../engine/engine.ts";
import { backoffMs } from "../engine/transact/transact.ts";
import { appComponent } from "../names/table-name.ts";
import { bundleSources } from "./bundle/functions.fixture.ts";
import { checkStoredDocuments, type Schema } from "./checks/schema.ts";
import { type Fixture, openFixture, request, valueOf } from "./runtime.fixture.ts";

const opened: Fixture[] = [];

async function open(options: Parameters<typeof openFixture>[0] = {}): Promise<Fixture> {
  const fixture = await openFixture(options);
  opened.push(fixture);
  return fixture;
}

afterEach(async () => {
  for (const { engine } of opened.splice(0)) await engine.close();
});

describe("mutations that collide", () => {
  test("mutations that conflict run again until each has counted once", async () => {
    const { call, runner } = await open();
    const results = await Promise.all(
      Array.from({ length: 4 }, () => call("notes:increment", { name: "hits" })),
    );
    expect([...results].sort()).toEqual([1, 2, 3, 4]);
    expect(await call("notes:counter", { name: "hits" })).toBe(4);
    const stats = runner.conflictStats()["notes.js:increment"];
    expect(stats).toMatchObject({ runs: 4, exhausted: 0 });
    expect(stats?.retries).toBeGreaterThanOrEqual(3);
    // A mutation that starts after the counter was created collides on its id.
    expect(Object.keys(stats?.collisions ?? {})).toContain("counters.by_name");
  });

  test("a mutation that always conflicts fails in Convex's words and is counted", async () => {
    const { runner, engine } = await open({ latency: { readMs: 0, commitMs: 20 } });
    let isOver = false;
    const rival = (async () => {
      while (!isOver) {
        const transaction = engine.begin();
        transaction.insert("counters", { name: "hot2", value: 0 });
        const { kind } = await engine.commit(transaction);
        expect(kind).toBe("committed");
      }
    })();
    const { outcome } = await runner.runMutation(request("hot:countHot2"));
    isOver = true;
    await rival;
    expect(outcome).toMatchObject({
      kind: "failure",
      message: expect.stringMatching(
        /OptimisticConcurrencyControlFailure: Documents read from or written to the "counters" table changed while this mutation was being run and on every subsequent retry\./,
      ),
    });
    expect(runner.conflictStats()["hot.js:countHot2"]).toMatchObject({
      runs: 1,
      conflicts: 5,
      retries: 4,
      exhausted: 1,
      collisions: { "counters.by_name": 5 },
    });
  });

  test("the delay between attempts grows and is random", () => {
    expect([1, 2, 3, 4].map((tries) => backoffMs(tries, 3, 1))).toEqual([10, 20, 40, 80]);
    expect([1, 2, 3, 4].map((tries) => backoffMs(tries, 50, 1))).toEqual([50, 100, 200, 400]);
    expect(backoffMs(3, 3, 0)).toBe(20);
    expect(backoffMs(50, 3, 1)).toBe(2000);
  });
});

describe("a mutation that is sent again", () => {
  const session = (requestId: number, acknowledgedThrough = -1) => ({
    session: { sessionId: "session", requestId, acknowledgedThrough },
  });
  const increment = { ...request("notes:increment", { name: "sent" }) };

  test("a resent mutation is answered from its record", async () => {
    const { call, runner } = await open();
    const first = await runner.runMutation({ ...increment, ...session(0) });
    const again = await runner.runMutation({ ...increment, ...session(0) });
    expect([valueOf(first), valueOf(again)]).toEqual([1, 1]);
    expect(again.ts).toBeGreaterThanOrEqual(first.ts);
    expect(await call("notes:counter", { name: "sent" })).toBe(1);
    expect(valueOf(await runner.runMutation({ ...increment, ...session(1) }))).toBe(2);
  });

  test("a mutation sent twice at the same time counts once", async () => {
    const { call, runner } = await open();
    const runs = await Promise.all(
      [0, 0, 0].map((id) => runner.runMutation({ ...increment, ...session(id) })),
    );
    expect(runs.map(valueOf)).toEqual([1, 1, 1]);
    expect(await call("notes:counter", { name: "sent" })).toBe(1);
  });

  test("the record of a mutation is deleted once the client has seen its outcome", async () => {
    const { runner } = await open();
    await runner.runMutation({ ...increment, ...session(0) });
    await runner.runMutation({ ...increment, ...session(1, 0) });
    expect(valueOf(await runner.runMutation({ ...increment, ...session(0, -1) }))).toBe(3);
  });

  test.each([
    ["is gone", "export {};"],
    ["is internal", 'export const put = internal({ handler: () => "new" });'],
    ["is a query", 'export const put = query({ handler: () => "new" });'],
  ])(
    "a resent mutation is answered from its record after a deploy, though its function %s",
    async (_, after) => {
      const convex =
        'import { internalMutationGeneric as internal, mutationGeneric as mutation, queryGeneric as query } from "convex/server";';
      const schema =
        'import { defineSchema, defineTable } from "convex/server"; export default defineSchema({ things: defineTable({}) });';
      const before =
        'export const put = mutation({ handler: async (ctx) => { await ctx.db.insert("things", {}); return "old"; } });';
      const bundleOf = (code: string) =>
        bundleSources({ "app.ts": `${convex} ${code}`, "schema.ts": schema });
      const { runner } = await open({ bundle: await bundleOf(before) });
      const put = request("app:put");
      expect(valueOf(await runner.runMutation({ ...put, ...session(0) }))).toBe("old");
      await runner.code.deploy(runner.code.load(await bundleOf(after)));
      expect(valueOf(await runner.runMutation({ ...put, ...session(0) }))).toBe("old");
      expect((await runner.runMutation({ ...put, ...session(1) })).outcome.kind).toBe("failure");
      expect((await runner.runMutation(put)).outcome.kind).toBe("failure");
    },
  );

  test("a failed mutation that is resent runs again", async () => {
    const { runner } = await open();
    const failing = { ...request("nesting:inner", { fails: true }), ...session(0) };
    expect((await runner.runMutation(failing)).outcome.kind).toBe("failure");
    expect(valueOf(await runner.runMutation({ ...failing, args: { fails: false } }))).toBeNull();
  });
});

test("a write that nobody awaits is part of the commit, and none happens after it", async () => {
  const { call, runner } = await open();
  const { outcome } = await runner.runMutation(request("hot:forgetsToAwait"));
  expect(outcome.kind).toBe("success");
  expect(await call("notes:counter", { name: "late" })).toBe(1);
  await new Promise((resolve) => setTimeout(resolve, 20));
  expect(await call("notes:counter", { name: "late" })).toBe(1);
});

test("a stored document that does not fit the schema is named", async () => {
  const engine = openEngine({ path: ":memory:" });
  engine.applySchema([{ name: "notes", indexes: [] }]);
  const transaction = engine.begin();
  const id = transaction.insert("notes", { text: 5 });
  await engine.commit(transaction);
  const schema: Schema = {
    tables: [],
    validators: new Map([
      ["notes", { type: "object", value: { text: { fieldType: { type: "string" }, optional: false } } }],
    ]),
    stagedValidators: new Map(),
    staged: new Set(),
  };
  expect(() => checkStoredDocuments(engine, schema, appComponent, ["notes"])).toThrow(
    `Document with ID "${id}" in table "notes" does not match the schema: Value does not match validator.\nPath: .text`,
  );
  await engine.close();
});
