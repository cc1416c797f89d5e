import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import { openEngine } from "../../engine/engine.ts";
import { createFunctionRuntime } from "../create-function-runtime.ts";
import { fixtureFolder } from "../runtime.fixture.ts";
import { isModule } from "../source/bundle-modules.ts";
import { bundleFunctions, type BundleOutcome } from "./bundle.ts";

const folders: string[] = [];

afterEach(async () => {
  for (const folder of folders.splice(0)) await rm(folder, { recursive: true });
});

async function bundleOf(files: { readonly [path: string]: string }): Promise<BundleOutcome> {
  const folder = await mkdtemp(join(tmpdir(), "functions-"));
  folders.push(folder);
  for (const [path, content] of Object.entries(files)) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), content);
  }
  return bundleFunctions(folder);
}

test.each([
  ["messages.ts", true],
  ["model/jobs.tsx", true],
  ["auth.config.ts", true],
  ["model/auth.config.ts", false],
  ["messages.test.ts", false],
  ["types.d.ts", false],
  ["convex.config.ts", false],
  ["_generated/api.js", false],
  ["model/_generated/api.js", false],
  [".hidden/x.ts", false],
  ["tsconfig.json", false],
  ["README.md", false],
])("%s is a module: %s", (path, expected) => {
  expect(isModule(path)).toBe(expected);
});

describe("bundling", () => {
  test("a bundle has all modules of a folder, with their imports from outside", async () => {
    const outcome = await bundleFunctions(fixtureFolder);
    if (outcome.kind === "failed") throw new Error(outcome.message);
    expect(outcome.bundle.modules).toContain("folder/deep");
    expect(outcome.bundle.code).toContain("function double");
  });

  test("paths that Convex refuses are refused in its words", async () => {
    const outcome = await bundleOf({
      "fine_1.ts": "export {};",
      "lib/file-types.ts": "export {};",
      "lib/file-types.test.ts": "export {};",
      "my-lib/deep/x.ts": "export {};",
    });
    expect(outcome).toEqual({
      kind: "failed",
      message:
        "lib/file-types.js is not a valid path to a Convex module. Path component file-types.js can only contain alphanumeric characters, underscores, or periods.\n" +
        "my-lib/deep/x.js is not a valid path to a Convex module. Path component my-lib can only contain alphanumeric characters, underscores, or periods.",
    });
  });

  test("a syntax error is reported in esbuild's words, with its place", async () => {
    const outcome = await bundleOf({ "bad.ts": "export const x = ;" });
    expect(outcome).toMatchObject({ kind: "failed" });
    expect((outcome as { message: string }).message).toMatch(/Unexpected ";"[\s\S]*bad\.ts:1:17/);
  });

  test("an import that cannot be found is reported", async () => {
    const outcome = await bundleOf({ "bad.ts": 'import "./nowhere.ts";' });
    expect((outcome as { message: string }).message).toContain('Could not resolve "./nowhere.ts"');
  });

  test("tests are not bundled, so they may be broken", async () => {
    expect(await bundleOf({ "a.test.ts": 'import "./nowhere.ts";' })).toMatchObject({ kind: "bundled" });
  });

  test("a component's folder is bundled only where it is installed, as in Convex", async () => {
    const outcome = await bundleOf({
      "a.ts": "export const a = 1;",
      "parts/a.ts": "export const a = 1;",
      "parts/inbox/convex.config.ts": "",
      "parts/inbox/letters.ts": 'import "./nowhere.ts";',
    });
    expect(outcome).toMatchObject({ kind: "bundled", bundle: { modules: ["a", "parts/a"] } });
  });

  test("a module that throws is named with its line", async () => {
    const outcome = await bundleOf({ "early.ts": 'export const x = 1;\nthrow new Error("too early");' });
    if (outcome.kind === "failed") throw new Error(outcome.message);
    const engine = openEngine({ path: ":memory:" });
    expect(() => createFunctionRuntime({ engine, bundle: outcome.bundle })).toThrow(
      /Uncaught Error: too early\n.*early\.ts:2:7/,
    );
    await engine.close();
  });

  test("a special file with another default export is refused", async () => {
    const outcome = await bundleOf({ "http.ts": "export default {};" });
    if (outcome.kind === "failed") throw new Error(outcome.message);
    const engine = openEngine({ path: ":memory:" });
    expect(() => createFunctionRuntime({ engine, bundle: outcome.bundle })).toThrow(/httpRouter\(\)/);
    await engine.close();
  });
});
