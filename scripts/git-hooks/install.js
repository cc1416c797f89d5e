import { spawnSync } from "node:child_process";
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";

// `npm install` runs this: git then checks each commit message. A folder that is no git checkout needs no hooks.
const here = dirname(fileURLToPath(import.meta.url));
spawnSync("git", ["config", "core.hooksPath", "scripts/git-hooks"], { cwd: here, stdio: "ignore" });
