import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, test } from "vitest";

const script = fileURLToPath(new URL("./unhandled-rejections.fixture.ts", import.meta.url));
const run = (...args: string[]) => promisify(execFile)(process.execPath, [script, ...args]);

const printed = `rejects: Uncaught Error: nobody awaits me
rejectsSoon: Uncaught Error: nobody awaits me
writesAndRejects: Uncaught Error: nobody awaits me
writesAndRejectsWithNull: Uncaught null
rejectsInAction: Uncaught Error: nobody awaits me
throwsLater: Uncaught Error: nobody catches me
handlesLate: "somebody awaits me"
the same at once: true
written: []
still here
`;

test("a rejection that nothing handles fails its function, and the process goes on", async () => {
  expect((await run()).stdout).toBe(printed);
});

test("a program that listens to rejections hears only those of its own code", async () => {
  expect((await run("--listen")).stdout).toBe(printed);
  expect((await run("--listen", "--own-rejection")).stdout).toContain("heard Error: a bug of ours");
});

test("a rejection of the backend's own code ends the process", async () => {
  await expect(run("--own-rejection")).rejects.toMatchObject({
    code: 1,
    stderr: expect.stringContaining("a bug of ours"),
  });
});
