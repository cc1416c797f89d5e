import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import * as z from "zod";

/** The libraries of macOS, and the packages that name their versions. */
const libraries = {
  "@node-llama-cpp/mac-arm64-metal": "node-llama-cpp",
  "@node-llama-cpp/mac-x64": "node-llama-cpp",
  "@koromix/koffi-darwin-arm64": "koffi",
  "@koromix/koffi-darwin-x64": "koffi",
};

/** The part of what electron-builder gives to a hook that this one reads. */
type Packed = { readonly electronPlatformName: string; readonly packager: { readonly projectDir: string } };

/**
 * Runs before electron-builder packs the program. npm installs the libraries of the own processor only, and without the others a
 * universal program would do no job on half of all Macs.
 */
export async function beforePack({ electronPlatformName, packager }: Packed): Promise<void> {
  if (electronPlatformName !== "darwin") return;
  const missing = await missingLibraries(join(packager.projectDir, "node_modules"));
  if (missing.length === 0) return;
  throw new Error(
    `A program for macOS needs the libraries of both processors. Install them: npm install --no-save --force ${missing.join(" ")}`,
  );
}

const owner = z.object({ optionalDependencies: z.record(z.string(), z.string()) });

/** The libraries that are not installed, with their versions. */
async function missingLibraries(modules: string): Promise<readonly string[]> {
  const missing: string[] = [];
  for (const [name, ofPackage] of Object.entries(libraries)) {
    if (existsSync(join(modules, name, "package.json"))) continue;
    const text = await readFile(join(modules, ofPackage, "package.json"), "utf8");
    const { optionalDependencies } = owner.parse(JSON.parse(text));
    missing.push(`${name}@${optionalDependencies[name] ?? "latest"}`);
  }
  return missing;
}
