import { open, readFile } from "node:fs/promises";
import { join } from "node:path";
import * as z from "zod";

type Folder = { readonly files?: Readonly<Record<string, Folder>> | undefined };

const folder: z.ZodType<Folder> = z.object({
  get files() {
    return z.record(z.string(), folder).optional();
  },
});

/** The names at the top of an archive, and those in its folder `out`. */
export async function packedNames(archive: string): Promise<{
  readonly top: readonly string[];
  readonly out: readonly string[];
}> {
  const files = await filesOf(archive);
  return { top: Object.keys(files).sort(), out: Object.keys(files["out"]?.files ?? {}).sort() };
}

/** The names of the npm packages at the top of an archive, without those that have no file. */
export async function packedPackages(archive: string): Promise<readonly string[]> {
  const files = await filesOf(archive);
  return Object.entries(files["node_modules"]?.files ?? {})
    .flatMap(([name, inner]) =>
      name.startsWith("@")
        ? Object.entries(inner.files ?? {}).map(([part, at]) => [`${name}/${part}`, at] as const)
        : [[name, inner] as const],
    )
    .filter(([, inner]) => hasFile(inner))
    .map(([name]) => name)
    .sort();
}

async function filesOf(archive: string): Promise<Readonly<Record<string, Folder>>> {
  const file = await open(archive);
  try {
    // Two pickles: the size of the header, then the header, a string of JSON.
    const sizes = Buffer.alloc(16);
    await file.read(sizes, 0, 16, 0);
    const header = Buffer.alloc(sizes.readUInt32LE(12));
    await file.read(header, 0, header.length, 16);
    return folder.parse(JSON.parse(header.toString("utf8"))).files ?? {};
  } finally {
    await file.close();
  }
}

function hasFile({ files }: Folder): boolean {
  return files === undefined || Object.values(files).some(hasFile);
}

const lockFile = z.object({
  packages: z.record(
    z.string(),
    z.object({
      dependencies: z.record(z.string(), z.string()).optional(),
      optionalDependencies: z.record(z.string(), z.string()).optional(),
      peerDependencies: z.record(z.string(), z.string()).optional(),
    }),
  ),
});

/** These packages and all that they depend on, by name, from package-lock.json. */
export async function withDependencies(root: string, names: readonly string[]): Promise<ReadonlySet<string>> {
  const text = await readFile(join(root, "package-lock.json"), "utf8");
  const { packages } = lockFile.parse(JSON.parse(text));
  const found = new Set<string>();
  const pending = [...names];
  for (let name = pending.pop(); name !== undefined; name = pending.pop()) {
    if (found.has(name)) continue;
    found.add(name);
    const versions = Object.keys(packages).filter((path) => path.endsWith(`node_modules/${name}`));
    for (const version of versions) {
      const { dependencies, optionalDependencies, peerDependencies } = packages[version] ?? {};
      pending.push(...Object.keys({ ...dependencies, ...optionalDependencies, ...peerDependencies }));
    }
  }
  return found;
}
