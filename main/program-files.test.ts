import { join } from "node:path";
import { expect, it } from "vitest";
import { programFiles, programVersion } from "./program-files.ts";

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

it("reads the program's version from its package", () => {
  const { package: file } = programFiles(join(import.meta.dirname, "desktop.ts"));
  expect(programVersion(file)).toMatch(/^\d+\.\d+\.\d+$/);
  expect(programVersion(join(import.meta.dirname, "../packages/embedded/package.json"))).toMatch(/^\d/);
});
