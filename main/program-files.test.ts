import { join } from "node:path";
import { expect, it } from "vitest";
import { programFiles } from "./program-files.ts";

it.each([
  ["main/headless.ts", "main/runner/runner-process.ts", "resources/demo-model/manifest.json"],
  ["out/headless/headless.js", "out/headless/runner-process.js", "resources/demo-model/manifest.json"],
  ["r/app.asar/out/main/desktop.js", "r/app.asar/out/main/runner-process.js", "r/demo-model/manifest.json"],
])("finds the runner and the demo model of %s", (entry, runner, demoModel) => {
  expect(programFiles(join("/g", entry))).toMatchObject({
    runner: join("/g", runner),
    demoModel: join("/g", demoModel),
  });
});
