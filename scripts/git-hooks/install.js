import { spawnSync } from "node:child_process";
import { realpathSync } from "node:fs";
import { fileURLToPath } from "node:url";

// `npm install` runs this, so that git checks each commit message. It changes nothing outside a checkout of this
// repository, or inside another repository, or if somebody has set a folder of hooks.
const root = realpathSync(fileURLToPath(new URL("../..", import.meta.url)));

/** @param {string[]} args */
function git(...args) {
  return spawnSync("git", args, { cwd: root, encoding: "utf8" });
}

const { status, stdout } = git("rev-parse", "--show-toplevel");
const isRoot = status === 0 && realpathSync(stdout.trim()) === root;
if (isRoot && git("config", "core.hooksPath").status !== 0) {
  git("config", "core.hooksPath", "scripts/git-hooks");
}
