import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, test } from "vitest";

const script = fileURLToPath(new URL("./unhandled-rejections.fixture.ts", import.meta.url));
const run = (...args: string[]) => promisify(execFile)(process.execPath, [script, ...args]);

test("a rejection that a function left behind does not end the process", async () => {
  expect((await run()).stdout).toBe("fine\nUncaught Error: nobody catches me\nstill here\n");
});

test("a rejection of the backend's own code ends the process", async () => {
  await expect(run("--own-rejection")).rejects.toMatchObject({
    code: 1,
    stderr: expect.stringContaining("a bug of ours"),
  });
});
