import { expect, onTestFinished, test } from "vitest";
import { Deployment } from "../compose/deployment.ts";
import { openEngine } from "../engine/engine.ts";
import { bundleSources } from "../runtime/bundle/functions.fixture.ts";
import { openFixture } from "../runtime/runtime.fixture.ts";
import { Pushes } from "./pushes.ts";

test("a push must start again after a variable has changed", async () => {
  const engine = openEngine({ path: ":memory:" });
  onTestFinished(() => engine.close());
  const bundle = await bundleSources({ "app.ts": "export {};" });
  const { runner } = await openFixture({ engine, bundle });
  let planet = "mars";
  const pushes = new Pushes({
    engine,
    bundle: () => Promise.resolve({ kind: "bundled", bundle }),
    deployment: new Deployment(runner, () => Promise.reject(new Error("no Node modules"))),
    variables: () => ({ PLANET: planet }),
    version: "1.0.0",
  });
  const start = async (): Promise<string> => {
    const answer = (await pushes.start([])) as unknown as {
      readonly value: { readonly schemaChange: { readonly schemaIds: { readonly push: string } } };
    };
    return answer.value.schemaChange.schemaIds.push;
  };
  const early = await start();
  planet = "venus";
  expect(pushes.schemaStatus(early)).toEqual({ type: "raceDetected" });
  expect(await pushes.finish(early, false)).toBeNull();
  const late = await start();
  expect(pushes.schemaStatus(late)).toEqual({ type: "complete" });
  expect(await pushes.finish(late, false)).toMatchObject({ kind: "ok" });
});
