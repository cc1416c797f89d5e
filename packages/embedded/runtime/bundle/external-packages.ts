import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import * as z from "zod";
import type { ExternalPackages } from "../source/bundle-node-modules.ts";

type ExternalPackagesOutcome =
  | { readonly kind: "ok"; readonly external: ExternalPackages }
  | { readonly kind: "failed"; readonly message: string };

const settings = z.object({
  node: z.object({ externalPackages: z.array(z.string()).optional() }).optional(),
});
const versions = z.record(z.string(), z.string()).optional();
const manifest = z.object({
  dependencies: versions,
  devDependencies: versions,
  peerDependencies: versions,
  optionalDependencies: versions,
});

/** Versions of packages that Convex bundles, because its servers may not reach them. */
const unreachable = /^(?:file|git\+file|https?|git|git\+ssh|git\+https?):/;

/**
 * Reads which packages `convex.json` excludes from the bundle of the "use node" modules: `node.externalPackages`, where "*"
 * means all. Like Convex, it considers only those that the project's package.json names and its `node_modules` has.
 */
export async function findExternalPackages(functionsFolder: string): Promise<ExternalPackagesOutcome> {
  const project = projectOf(functionsFolder);
  const folder = join(project, "node_modules");
  const file = join(project, "convex.json");
  if (!existsSync(file)) return { kind: "ok", external: { folder, names: new Set() } };
  const asked = await readAs(file, settings);
  if (asked.kind === "failed") return asked;
  const { externalPackages: listed = [] } = asked.value.node ?? {};
  if (listed.length === 0) return { kind: "ok", external: { folder, names: new Set() } };
  const read = await readAs(join(project, "package.json"), manifest);
  if (read.kind === "failed") return read;
  const names = Object.values(read.value)
    .flatMap((group) => Object.entries(group ?? {}))
    .filter(([name, version]) => name !== "convex" && !unreachable.test(version))
    .map(([name]) => name)
    .filter((name) => (listed.includes("*") || listed.includes(name)) && existsSync(join(folder, name)));
  return { kind: "ok", external: { folder, names: new Set(names) } };
}

/** The nearest folder above with a package.json. */
function projectOf(folder: string): string {
  if (existsSync(join(folder, "package.json"))) return folder;
  return dirname(folder) === folder ? folder : projectOf(dirname(folder));
}

type Read<T> =
  { readonly kind: "ok"; readonly value: T } | { readonly kind: "failed"; readonly message: string };

async function readAs<T>(file: string, schema: z.ZodType<T>): Promise<Read<T>> {
  try {
    const parsed = schema.safeParse(JSON.parse(await readFile(file, "utf8")));
    if (parsed.success) return { kind: "ok", value: parsed.data };
    return { kind: "failed", message: `${file}: ${z.prettifyError(parsed.error)}` };
  } catch (error) {
    return { kind: "failed", message: `${file} cannot be read: ${(error as Error).message}` };
  }
}
