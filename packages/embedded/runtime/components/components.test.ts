import { fileURLToPath } from "node:url";
import type { JSONValue } from "convex/values";
import { afterAll, afterEach, beforeEach, expect, test } from "vitest";
import { startScheduling } from "../../compose/start-scheduling.ts";
import { openEngine } from "../../engine/engine.ts";
import { FunctionLog } from "../../operations/function-log.ts";
import { cronTable, parseCronJob } from "../../scheduler/cron/cron-job.ts";
import { eventually } from "../../scheduler/scheduling.fixture.ts";
import { fullRange } from "../../values/keys/index-range.ts";
import { bundleFunctions } from "../bundle/bundle.ts";
import type { Identity } from "../contract/function-runner.ts";
import { createFunctionRuntime } from "../create-function-runtime.ts";
import type { FunctionRun, NamedRun } from "../execution/function-run.ts";
import type { FunctionRuntime } from "../function-runtime.ts";
import type { Bundle } from "../isolate/worlds.ts";
import { type Fixture, openFixture, request } from "../runtime.fixture.ts";

const folder = fileURLToPath(new URL("../fixtures/components/convex", import.meta.url));
const user: Identity = { kind: "user", attributes: { subject: "ann" } };
const emptyLedger = "0 in the ledger";

const loaded = fixtureBundle();
let bundle: Bundle;
let fixture: Fixture;
let call: Fixture["call"];

async function fixtureBundle(): Promise<Bundle> {
  const outcome = await bundleFunctions(folder);
  if (outcome.kind === "failed") throw new Error(outcome.message);
  return outcome.bundle;
}

beforeEach(async () => {
  bundle = await loaded;
  fixture = await openFixture({ bundle, env: () => ({ APP_SECRET: "hidden" }) });
  call = fixture.call;
});

const closers: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0)) await close();
  await fixture.engine.close();
});

afterAll(() => {
  expect(bundle.mounts).toHaveLength(5);
});

async function startedScheduling(crons: FunctionRuntime["crons"] = []): Promise<void> {
  const errors: unknown[] = [];
  const { scheduled, componentPaths } = fixture.runner;
  const runtime = { scheduled, componentPaths, crons };
  const { close: stop } = await startScheduling({
    engine: fixture.engine,
    runtime,
    onError: (error) => errors.push(error),
  });
  closers.push(async () => {
    await stop();
    expect(errors).toEqual([]);
  });
}

test("two mounts of one component, and their nested components, have separate tables and variables", async () => {
  await call("app:add", { mount: "first", name: "a" });
  await call("app:add", { mount: "first", name: "b" });
  await call("app:add", { mount: "second", name: "c" });
  expect(await call("app:names", { mount: "first" })).toEqual(["a", "b", "2 in the ledger"]);
  expect(await call("app:names", { mount: "second" })).toEqual(["c", "1 in the ledger"]);
  expect(await call("app:own")).toEqual([]);
  const described = async (mount: string) =>
    ((await call("app:describe", { mount })) as { component: JSONValue }).component;
  await described("first");
  expect(await described("first")).toMatchObject({ calls: 1, greeting: "hello", secret: null });
  expect(await described("second")).toMatchObject({ calls: 1, greeting: null, secret: null });
});

test("an action calls a component's functions, and a component's action calls its own", async () => {
  expect(await call("app:addByAction", { mount: "second", name: "x" })).toEqual(["x", "1 in the ledger"]);
});

test("a failing component is rolled back with its nested calls, and the app's writes stay", async () => {
  const survived = await call("app:survive", { mount: "first" });
  expect(survived).toMatchObject({
    problem: expect.stringContaining("Uncaught Error: the component failed") as unknown,
    names: [emptyLedger],
  });
  expect(await call("app:own")).toEqual(["kept"]);
});

test("a failing app mutation also rolls back its components' writes", async () => {
  await expect(call("app:addAndFail", { mount: "first" })).rejects.toThrow("the app failed");
  expect(await call("app:names", { mount: "first" })).toEqual([emptyLedger]);
});

test.each([
  "first/lib:add",
  "first/lib.js:add",
  "first:lib:add",
  "/first/lib:add",
  "first/ledger/entries:add",
])("no client can call a component's function as %s", async (path) => {
  for (const identity of [user, { kind: "none" }, { kind: "admin" }] as const) {
    await expect(call(path, { name: "x", text: "x" }, identity)).rejects.toThrow("Could not find");
  }
});

test("the admin may name a component to call any of its functions", async () => {
  const ask = (identity: Identity) =>
    fixture.runner.runAny({ ...request("lib:secret"), component: "first", identity });
  expect(await ask({ kind: "admin" })).toMatchObject({ outcome: { value: "nobody asks" } });
  expect((await ask(user)).outcome).toMatchObject({
    kind: "failure",
    message: expect.stringContaining("Could not find public function for 'lib:secret'") as unknown,
  });
  const open = await fixture.runner.runAny({ ...request("lib:names"), component: "first", identity: user });
  expect(open.outcome.kind).toBe("failure");
});

test("functions are listed by component, under their names within it", () => {
  const names = (component?: string) =>
    fixture.runner.functionSpecs(component).map(({ identifier }) => identifier);
  expect(names("first/ledger")).toEqual(["entries.js:add", "entries.js:count"]);
  expect(names()).toContain("app.js:add");
  expect(names()).not.toContain("entries.js:add");
  expect(names("third")).toEqual([]);
});

test("the app reaches a component's public functions, but not its internal ones or its components", async () => {
  await expect(call("app:callInternal", { mount: "first" })).rejects.toThrow(
    /Couldn't find a public function "lib:secret" in the component "first"/,
  );
  await expect(call("app:callGrandchild")).rejects.toThrow(/Couldn't find/);
  await expect(call("app:add", { mount: "third", name: "x" })).rejects.toThrow(
    /component "third".*installed/s,
  );
});

test("a component does not know ids and tables of the app and other mounts", async () => {
  const mine = await call("app:add", { mount: "first", name: "a" });
  const theirs = await call("app:add", { mount: "second", name: "b" });
  const apps = await call("app:addOwn", { text: "app's" });
  expect(await call("app:getOne", { mount: "first", id: mine })).toMatchObject({ normalized: mine });
  for (const id of [theirs, apps]) {
    expect(await call("app:getOne", { mount: "first", id })).toMatchObject({ normalized: null, item: null });
    await expect(call("app:takeItem", { mount: "first", id })).rejects.toThrow("ArgumentValidationError");
  }
  expect(await call("app:takeItem", { mount: "first", id: mine })).toBe("a");
  await expect(call("app:reachInto", { table: "first/items" })).rejects.toThrow("not a valid table name");
});

test("errors about a component's schema use the component's table names", async () => {
  await expect(call("app:addUnfit", { mount: "first" })).rejects.toThrow(
    /in table "items" because it does not match the schema/,
  );
});

test("a component sees no user, but an app function that it calls by handle does", async () => {
  expect(await call("app:describe", { mount: "first" }, user)).toMatchObject({
    app: { user: "ann" },
    component: {
      user: null,
      function: { name: "lib:describe", componentPath: "first", type: "query", visibility: "public" },
    },
  });
  expect(await call("app:callBack", { mount: "first" }, user)).toBe("called back by ann");
  expect(await call("app:own")).toEqual(["called back"]);
});

test("a component's actions and HTTP actions see no user, even with a token", async () => {
  const seen = { app: "ann", component: null };
  expect(await call("app:userByAction", { mount: "first" }, user)).toEqual(seen);
  const ask = (identity: Identity) =>
    fixture.runner.runHttp(new Request("http://localhost/first/user"), { identity });
  expect(await (await ask(user))?.json()).toBeNull();
  // An invalid token, too, is only the app's concern.
  expect(await (await ask({ kind: "none", refused: "no token" }))?.json()).toBeNull();
});

test("the function log names the component of each run", async () => {
  const log = new FunctionLog();
  const { engine } = fixture;
  const observer = {
    onStart: () => undefined,
    onEnd: (run: FunctionRun) => log.ended(run),
    onLine: (run: NamedRun, line: string) => log.printed(run, line),
  };
  const watched = createFunctionRuntime({ engine, bundle, observer });
  await watched.runAny(request("app:addByAction", { mount: "second", name: "x" }));
  await watched.runHttp(new Request("http://localhost/first/user"));
  expect(log.latest().map(({ componentPath, identifier }) => [componentPath, identifier])).toEqual([
    ["second", "lib:add"],
    ["second", "lib:names"],
    ["second", "lib:namesByAction"],
    [null, "app:addByAction"],
    ["first", "GET /user"],
    ["first", "GET /user"],
  ]);
});

test("a component schedules its own functions, and the app's by handle, in its own table", async () => {
  await startedScheduling();
  await call("app:addLater", { mount: "first", name: "later" });
  await call("app:scheduleBack", { mount: "first" });
  await call("app:scheduleThere", { mount: "second", name: "there" });
  await eventually(async () => {
    expect(await call("app:names", { mount: "first" })).toEqual(["later", "1 in the ledger"]);
    expect(await call("app:names", { mount: "second" })).toEqual(["there", "1 in the ledger"]);
    expect(await call("app:own")).toEqual(["called back later"]);
  });
  expect(await call("app:scheduled", { mount: "first" })).toEqual([
    { name: "lib.js:add", state: "success" },
    { name: "app.js:note", state: "success" },
  ]);
  expect(await call("app:scheduled", { mount: "second" })).toEqual([]);
  expect(await call("app:scheduled", { mount: null })).toEqual([{ name: "lib.js:add", state: "success" }]);
});

test("each mount runs its own crons", async () => {
  await startedScheduling(fixture.runner.crons);
  const transaction = fixture.engine.begin();
  const scan = transaction.scan(fullRange(cronTable.name, "by_creation_time"), "asc");
  const components: unknown[] = [];
  for (let entry = scan.next(); entry !== null; entry = scan.next()) {
    components.push(parseCronJob(entry.document).spec.component);
  }
  fixture.engine.discard(transaction);
  expect(components).toEqual(["first", "second"]);
  await eventually(async () => {
    for (const mount of components) {
      expect(await call("app:names", { mount: mount as string })).toEqual(["tick", "1 in the ledger"]);
    }
  });
});

test("a component's routes are below its prefix", async () => {
  await call("app:add", { mount: "first", name: "a" });
  const ask = (path: string) => fixture.runner.runHttp(new Request(`http://localhost${path}`));
  expect(await (await ask("/first/names"))?.json()).toEqual(["a", "1 in the ledger"]);
  expect(await ask("/names")).toBeNull();
  expect(await ask("/second/names")).toBeNull();
});

test("a query runs again when its component's documents change", async () => {
  const { readSet, ts } = await fixture.runner.runQuery(request("app:names", { mount: "first" }));
  let invalidated = 0;
  fixture.engine.subscribe(readSet, ts, () => (invalidated += 1));
  await call("app:add", { mount: "second", name: "elsewhere" });
  expect(invalidated).toBe(0);
  await call("app:add", { mount: "first", name: "here" });
  await eventually(async () => expect(invalidated).toBe(1));
});

test("a removed component's documents stay until it is installed again", async () => {
  await call("app:add", { mount: "second", name: "kept" });
  const { engine } = fixture;
  const mounts = bundle.mounts.filter(({ path }) => !path.startsWith("second"));
  const without = createFunctionRuntime({ engine, bundle: { ...bundle, mounts } });
  const gone = await without.runQuery(request("app:names", { mount: "second" }));
  expect(gone.outcome).toMatchObject({ kind: "failure" });
  const again = createFunctionRuntime({ engine, bundle });
  const back = await again.runQuery(request("app:names", { mount: "second" }));
  expect(back.outcome).toEqual({ kind: "success", value: ["kept", "1 in the ledger"] });
});

test("a stored document of a component that does not fit its schema is named", async () => {
  const engine = openEngine({ path: ":memory:" });
  engine.applySchema([{ name: "first/items", indexes: [] }]);
  const transaction = engine.begin();
  transaction.insert("first/items", { name: 5 });
  await engine.commit(transaction);
  expect(() => createFunctionRuntime({ engine, bundle })).toThrow(/in table "first\/items" does not match/);
  await engine.close();
});
