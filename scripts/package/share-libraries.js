import { createHash } from "node:crypto";
import { readdir, readFile, rm, symlink } from "node:fs/promises";
import { join } from "node:path";

/**
 * Runs after electron-builder has packed the program. llama.cpp's builds for the processor and for Vulkan contain the same
 * libraries. On Linux one of each becomes a link to the other. Installers of Windows have no links, and macOS has one build.
 * @param {{ appOutDir: string, electronPlatformName: string }} packed
 */
export async function afterPack({ appOutDir, electronPlatformName }) {
  if (electronPlatformName !== "linux") return;
  const builds = join(appOutDir, "resources/app.asar.unpacked/node_modules/@node-llama-cpp");
  /** @type {Map<string, string>} */
  const first = new Map();
  // The build for the processor has the shorter name, so that it keeps its files.
  for (const build of (await readdir(builds)).sort()) {
    for (const name of (await readdir(join(builds, build, "bins", build))).sort()) {
      if (!name.endsWith(".so")) continue;
      const path = join(build, "bins", build, name);
      const hash = createHash("sha256")
        .update(await readFile(join(builds, path)))
        .digest("hex");
      const same = first.get(`${name} ${hash}`);
      if (same === undefined) {
        first.set(`${name} ${hash}`, path);
        continue;
      }
      await rm(join(builds, path));
      await symlink(join("../../..", same), join(builds, path));
    }
  }
}
