import { execFile } from "node:child_process";
import { createRequire } from "node:module";
import { promisify } from "node:util";
import { expect, test } from "vitest";

const compiler = createRequire(import.meta.url).resolve("typescript/bin/tsc");

test("the apps fit the types of the packages", async () => {
  const run = promisify(execFile)(process.execPath, [compiler, "-p", import.meta.dirname]);
  const output = await run.then(
    () => "",
    (error: unknown) => (error as { readonly stdout: string }).stdout,
  );
  expect(output).toBe("");
});
