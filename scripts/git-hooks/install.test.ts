import { execFileSync } from "node:child_process";
import { cpSync, mkdtempSync, rmSync } from "node:fs";
import { devNull, tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";

/** Only the configuration of the repository counts, wherever these tests run. */
const env = {
  PATH: process.env["PATH"],
  GIT_CONFIG_GLOBAL: devNull,
  GIT_CONFIG_SYSTEM: devNull,
  GIT_CEILING_DIRECTORIES: tmpdir(),
};

/** A folder with a copy of the script in `place`, and git in that folder. */
function makeFolder(place: string) {
  const folder = mkdtempSync(join(tmpdir(), "git-hooks-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const copy = join(folder, place, "scripts/git-hooks");
  cpSync(import.meta.dirname, copy, { recursive: true });
  const git = (...args: readonly string[]): string =>
    execFileSync("git", args, { cwd: folder, env, encoding: "utf8" }).trim();
  return { git, install: () => execFileSync(process.execPath, [join(copy, "install.js")], { env }) };
}

it("npm install turns on the commit hook in a checkout of the repository", () => {
  const { git, install } = makeFolder(".");
  git("init", "-q");
  install();
  expect(git("config", "core.hooksPath")).toBe("scripts/git-hooks");
});

it("npm install leaves the hooks of a repository around this one", () => {
  const { git, install } = makeFolder("vendor/gleaner");
  git("init", "-q");
  install();
  expect(git("config", "--default", "none", "--get", "core.hooksPath")).toBe("none");
});

it("npm install keeps a folder of hooks that somebody has set", () => {
  const { git, install } = makeFolder(".");
  git("init", "-q");
  git("config", "core.hooksPath", ".husky");
  install();
  expect(git("config", "core.hooksPath")).toBe(".husky");
});

it("npm install works outside of a repository", () => {
  const { install } = makeFolder(".");
  expect(install).not.toThrow();
});
