import { spawnSync } from "node:child_process";
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";

// `npm install` runs this, so that git checks each commit message. Outside a git checkout it does nothing.
const here = dirname(fileURLToPath(import.meta.url));
spawnSync("git", ["config", "core.hooksPath", "scripts/git-hooks"], { cwd: here, stdio: "ignore" });
