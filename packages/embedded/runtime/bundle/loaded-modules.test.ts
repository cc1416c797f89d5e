import { setImmediate as nextTurn } from "node:timers/promises";
import { getHeapStatistics } from "node:v8";
import { expect, test } from "vitest";
import { returnMemory } from "../execution/memory/collect-garbage.ts";
import { fixtureBundle, openFixture } from "../runtime.fixture.ts";

async function realms(): Promise<number> {
  await nextTurn();
  returnMemory();
  return getHeapStatistics().number_of_native_contexts;
}

test("nothing keeps the world in which modules were read", async () => {
  await fixtureBundle();
  const before = await realms();
  const { engine, runner } = await openFixture();
  expect(await realms()).toBe(before);
  expect(runner.functionSpecs().length).toBeGreaterThan(0);
  await engine.close();
});
