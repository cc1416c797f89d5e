import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { onPath } from "../../on-path.ts";
import { makeDeb } from "./deb.ts";
import { makeRpm } from "./rpm.ts";

/*
 * Makes the deb and the rpm (docs/donor/managed.md). electron-builder runs this after its own installers. For a folder that it has
 * packed already:
 *   npm run package -- --linux dir
 *   node scripts/package/linux/make-packages.ts dist
 */

/** The part of what electron-builder gives to a hook that this one reads. */
type Built = {
  readonly outDir: string;
  readonly platformToTargets: ReadonlyMap<{ readonly name: string }, ReadonlyMap<string, unknown>>;
};

/** Runs after electron-builder has made its installers. A folder is for tests, which need no packages of it. */
export async function afterAllArtifactBuild({
  outDir,
  platformToTargets,
}: Built): Promise<readonly string[]> {
  const targets = [...platformToTargets].flatMap(([{ name }, targets]) =>
    name === "linux" ? [...targets.keys()] : [],
  );
  return targets.some((target) => target !== "dir") ? await makePackages(outDir) : [];
}

const kinds = [
  { tool: "dpkg-deb", install: "apt-get install dpkg", make: makeDeb },
  { tool: "rpmbuild", install: "apt-get install rpm, or dnf install rpm-build", make: makeRpm },
] as const;

async function makePackages(output: string): Promise<readonly string[]> {
  const made: string[] = [];
  for (const program of (await readdir(output)).filter((name) => /^linux.*-unpacked$/.test(name))) {
    for (const { tool, install, make } of kinds) {
      if (onPath(tool)) made.push(await make(join(output, program), output));
      else console.log(`Without ${tool}, one kind of package is not made. To get it: ${install}`);
    }
  }
  return made;
}

if (import.meta.main) {
  const [output] = process.argv.slice(2);
  if (output === undefined) throw new Error("Name the folder that contains linux-unpacked.");
  console.log((await makePackages(output)).join("\n"));
}
