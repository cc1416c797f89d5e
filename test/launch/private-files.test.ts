import { lstat, readdir } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Farm, startFarm } from "../../launch/farm/farm.ts";

let farm: Farm;

beforeAll(async () => {
  farm = await startFarm();
  await farm.startDonor("private-files");
});
afterAll(() => farm.close());

test.skipIf(process.platform === "win32")(
  "the backend and a donor make only folders and files that other users cannot open",
  async () => {
    const { path } = farm.folder;
    const made = await readdir(path, { recursive: true });
    const open: string[] = [];
    for (const name of made) {
      const stats = await lstat(join(path, name));
      // Node makes the folders inside its compile cache. Nobody reaches them through a folder that is closed.
      if (name.startsWith("compiled/") || stats.isSocket()) continue;
      if ((stats.mode & 0o077) !== 0) open.push(`${name} ${stats.mode.toString(8)}`);
    }
    expect(made).toEqual(expect.arrayContaining(["logs", "compiled", "donor"]));
    expect(open).toEqual([]);
  },
);
