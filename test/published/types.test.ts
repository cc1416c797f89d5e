import { execFile } from "node:child_process";
import { resolve } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";

const compiler = resolve(import.meta.dirname, "../../node_modules/typescript/bin/tsc");

test("the apps fit the types of the packages", async () => {
  const run = promisify(execFile)(process.execPath, [compiler, "-p", import.meta.dirname]);
  const output = await run.then(
    () => "",
    (error: unknown) => (error as { readonly stdout: string }).stdout,
  );
  expect(output).toBe("");
});
