import { expect, test } from "vitest";
import { openEngine } from "../engine/engine.ts";
import type { Engine } from "../engine/model/types.ts";
import { environmentTable } from "../runtime/tables/environment-table.ts";
import { EnvironmentVariables, maxVariables } from "./environment-variables.ts";

function open(): { engine: Engine; environment: EnvironmentVariables } {
  const engine = openEngine({ path: ":memory:" });
  // Before the schema is applied, as on the first start.
  const environment = new EnvironmentVariables(engine, { URL: "http://x" }, { COLOR: "red", URL: "mine" });
  expect(environment.all).toEqual({ COLOR: "red", URL: "http://x" });
  engine.applySchema([environmentTable]);
  return { engine, environment };
}

test("stored values override the defaults; removing one restores the default", async () => {
  const { engine, environment } = open();
  await environment.update([
    { name: "COLOR", value: "blue" },
    { name: "SIZE", value: "5" },
  ]);
  expect(environment.all).toEqual({ COLOR: "blue", SIZE: "5", URL: "http://x" });
  // Another process on the same file.
  expect(new EnvironmentVariables(engine, {}, { COLOR: "green" }).all).toEqual({
    COLOR: "blue",
    SIZE: "5",
  });
  await environment.update([{ name: "COLOR", value: null }]);
  expect(environment.all["COLOR"]).toBe("red");
});

test("concurrent updates all take effect", async () => {
  const { environment } = open();
  const names = Array.from({ length: 20 }, (_, n) => `V${n}`);
  const updated = await Promise.all(names.map((name) => environment.update([{ name, value: name }])));
  expect(new Set(updated.map(({ kind }) => kind))).toEqual(new Set(["updated"]));
  expect(environment.all).toMatchObject(Object.fromEntries(names.map((name) => [name, name])));
});

test("a transaction sees the variables of its snapshot, and conflicts with a change of them", async () => {
  const { engine, environment } = open();
  const before = engine.begin();
  expect(environment.in(before)["SIZE"]).toBeUndefined();
  await environment.update([{ name: "SIZE", value: "5" }]);
  expect(environment.in(before)["SIZE"]).toBeUndefined();
  before.insert(environmentTable.name, { name: "OTHER", value: "1" });
  expect(await engine.commit(before)).toMatchObject({
    kind: "conflict",
    conflict: { table: "_environment_variables" },
  });
});

test("changes made in other ways, such as a restored backup, take effect", async () => {
  const { engine, environment } = open();
  const transaction = engine.begin();
  transaction.insert(environmentTable.name, { name: "SIZE", value: "9" });
  await engine.commit(transaction);
  expect(environment.all["SIZE"]).toBe("9");
});

test("an update beyond the limit is refused as a whole", async () => {
  const { environment } = open();
  const many = Array.from({ length: maxVariables }, (_, n) => ({ name: `V${n}`, value: "" }));
  expect(await environment.update(many)).toEqual({ kind: "updated" });
  const over = [
    { name: "V0", value: "changed" },
    { name: "ONE_MORE", value: "" },
  ];
  expect(await environment.update(over)).toEqual({ kind: "too many" });
  expect(environment.all["V0"]).toBe("");
});
