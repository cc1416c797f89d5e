import { expect, onTestFinished, test } from "vitest";
import { openEngine } from "../engine/engine.ts";
import { bundleSources } from "../runtime/bundle/functions.fixture.ts";
import { openFixture } from "../runtime/runtime.fixture.ts";
import { Deployment } from "./deployment.ts";

const bundleOf = (version: number) =>
  bundleSources({
    "app.ts": `import { queryGeneric as query } from "convex/server";
      export const which = query({ handler: () => ${String(version)} });`,
  });

test("a variable that is set during a deploy does not bring the old code back", async () => {
  const engine = openEngine({ path: ":memory:" });
  onTestFinished(() => engine.close());
  const { runner, call } = await openFixture({ engine, bundle: await bundleOf(0) });
  const deployment = new Deployment(runner, () => Promise.reject(new Error("no Node modules")));
  await deployment.start(await bundleOf(1), false);
  const next = await deployment.prepare(await bundleOf(2));
  await Promise.all([deployment.deploy(next), deployment.reload()]);
  expect(await call("app:which")).toBe(2);
});
