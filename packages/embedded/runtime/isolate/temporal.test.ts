import { setFlagsFromString } from "node:v8";
import { expect, test } from "vitest";
import { openFixture } from "../runtime.fixture.ts";

test("Temporal shows a query the time that Date shows", async () => {
  // Older versions of Node have an unfinished one behind this flag.
  if (!("Temporal" in globalThis)) setFlagsFromString("--harmony-temporal");
  const { engine, call } = await openFixture();
  expect(await call("determinism:look", { what: "temporal" })).toEqual([true, true, true, true, true, true]);
  await engine.close();
});
