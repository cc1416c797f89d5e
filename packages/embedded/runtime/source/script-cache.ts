import { createHash, randomUUID } from "node:crypto";
import { mkdir, readdir, readFile, rename, rm, stat, utimes, writeFile } from "node:fs/promises";
import { createRequire, getCompileCacheDir } from "node:module";
import { join } from "node:path";
import { deserialize, serialize } from "node:v8";
import type { ModuleFileCode } from "./bundle-script.ts";
import type { BundledScript } from "./bundled-script.ts";

/** The scripts that a folder keeps: those used last. An app has one, and each component that it installs. */
const mostScripts = 32;

/**
 * Returns the script that was made of equal files before, or makes it and keeps it. Ticks and conversion take two thirds of the
 * time of bundling.
 * @param folder null keeps nothing
 */
export async function cachedScript(
  files: readonly ModuleFileCode[],
  make: (files: readonly ModuleFileCode[]) => Promise<BundledScript>,
  folder: string | null = cacheFolder(),
): Promise<BundledScript> {
  if (folder === null) return await make(files);
  const file = join(folder, `${await keyOf(files)}.script`);
  const kept = await readScript(file);
  if (kept !== null) return kept;
  const script = await make(files);
  // A full disk costs only time.
  await keep(file, script, folder).catch(() => undefined);
  return script;
}

function cacheFolder(): string | null {
  const own = process.env["CONVEX_EMBEDDED_CACHE"];
  if (own !== undefined && own !== "") return own;
  const compiled = getCompileCacheDir();
  return compiled === undefined ? null : join(compiled, "scripts");
}

/** Names files by their contents, and by the code that makes a script of them. */
async function keyOf(files: readonly ModuleFileCode[]): Promise<string> {
  const hash = createHash("sha256").update(await (makerHash ??= hashOfMaker()));
  for (const { path, source, sourceMap = "" } of files) {
    for (const part of [path, source, sourceMap]) hash.update(`${String(part.length)} `).update(part);
  }
  return hash.digest("hex");
}

/** An app and its components are bundled in one process. */
let makerHash: Promise<Buffer> | null = null;

/** Hashes the code of this folder, and the versions of the parser and the transformer. */
async function hashOfMaker(): Promise<Buffer> {
  const hash = createHash("sha256").update(process.version);
  const { resolve } = createRequire(import.meta.url);
  const sources = (await readdir(import.meta.dirname)).filter((name) => /\.[jt]s$/.test(name)).sort();
  const manifests = ["acorn", "esbuild"].map((name) => resolve(`${name}/package.json`));
  for (const each of [...sources.map((name) => join(import.meta.dirname, name)), ...manifests]) {
    hash.update(await readFile(each));
  }
  return hash.digest();
}

/** Returns null for a missing or damaged file. */
async function readScript(file: string): Promise<BundledScript | null> {
  try {
    const content = await readFile(file);
    const script = content.subarray(checksumBytes);
    if (!checksumOf(script).equals(content.subarray(0, checksumBytes))) return null;
    const now = new Date();
    await utimes(file, now, now);
    return deserialize(script) as BundledScript;
  } catch {
    return null;
  }
}

const checksumBytes = 32;

function checksumOf(content: Buffer): Buffer {
  return createHash("sha256").update(content).digest();
}

async function keep(file: string, script: BundledScript, folder: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  // Another backend may read it meanwhile.
  const part = `${file}.${randomUUID()}`;
  const content = serialize(script);
  await writeFile(part, Buffer.concat([checksumOf(content), content]));
  await rename(part, file);
  const ages = await Promise.all(
    (await readdir(folder)).map(async (name) => {
      const path = join(folder, name);
      return { path, at: (await stat(path)).mtimeMs };
    }),
  );
  const old = ages.sort((one, other) => other.at - one.at).slice(mostScripts);
  await Promise.all(old.map(({ path }) => rm(path, { force: true })));
}
