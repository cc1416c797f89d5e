import { execFile, execFileSync } from "node:child_process";
import { copyFile, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { parseArguments } from "../../main/headless/arguments.ts";

const shell = promisify(execFile);
const root = resolve(import.meta.dirname, "../..");
const units = join(root, "resources/systemd");
const slice = "gleaner.slice";
const hasSystemd = ((): boolean => {
  try {
    execFileSync("systemd-analyze", ["--version"], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
})();

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "gleaner-systemd-"));
});
afterEach(() => rm(folder, { recursive: true }));

describe.each([
  { name: "gleaner-donor.service", install: "/opt/gleaner", scope: [] },
  { name: "gleaner-donor-user.service", install: "%h/gleaner", scope: ["--user"] },
])("the example unit $name", ({ name, install, scope }) => {
  const read = (): Promise<string> => readFile(join(units, name), "utf8");

  test("the unit starts the headless donor with valid arguments", async () => {
    const start = /^ExecStart=(.*)$/m.exec(await read())?.[1]?.split(" ") ?? [];
    expect(start.slice(0, 2)).toEqual([`${install}/node_modules/.bin/node`, `${install}/main/headless.ts`]);
    const env = { GLEANER_DATA: "/var/lib/gleaner", GLEANER_BACKEND: "https://api.gleaner.example.org" };
    expect(parseArguments(start.slice(2), env)).toMatchObject({ kind: "ok" });
    await shell(join(root, "node_modules/.bin/node"), ["--check", join(root, "main/headless.ts")]);
  });

  test.skipIf(!hasSystemd)("systemd verifies the unit without a warning", async () => {
    const unit = join(folder, name);
    await copyFile(join(units, slice), join(folder, slice));
    await writeFile(unit, (await read()).replaceAll(install, root));
    const env = { ...process.env, XDG_RUNTIME_DIR: folder, SYSTEMD_LOG_LEVEL: "warning" };
    const files = [join(folder, slice), unit];
    const { stdout, stderr } = await shell("systemd-analyze", ["verify", ...scope, ...files], { env });
    expect(stdout + stderr).toBe("");
  });

  test.skipIf(!hasSystemd)("the unit limits the donor's priority, memory and access", async () => {
    const text = await read();
    for (const line of [
      "Nice=19",
      "CPUSchedulingPolicy=idle",
      `Slice=${slice}`,
      "NoNewPrivileges=yes",
      "OOMPolicy=continue",
    ]) {
      expect(text.split("\n")).toContain(line);
    }
    expect(text).toMatch(/^MemoryMax=\d+G$/m);
    if (scope.length > 0) return;
    const args = ["security", "--offline=true", "--threshold=25", join(units, name)];
    await shell("systemd-analyze", args);
  });
});

test("the slice is at the top level and has the lowest weights, first in a form that every systemd understands", async () => {
  const text = await readFile(join(units, slice), "utf8");
  // A dash in the name would put it into another slice.
  expect(slice).not.toContain("-");
  expect(text).toMatch(/^CPUWeight=1\nCPUWeight=idle\nIOWeight=1$/m);
});
