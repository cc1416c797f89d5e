import { execFileSync } from "node:child_process";
import { copyFileSync, existsSync, globSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";

/*
 * Lets `npm pack` ship JavaScript from a package whose `exports` and `bin` name TypeScript sources. A package runs this
 * as its `prepack` and `postpack` scripts; npm runs both in the package's folder. `publishConfig` cannot do this: npm
 * ignores `exports` there.
 */

type Manifest = {
  exports?: Record<string, string>;
  bin?: Record<string, string>;
  scripts?: Record<string, string>;
};

const root = resolve(import.meta.dirname, "..");
const kept = "package.source.json";

/** Compiles the sources to `dist/`, and points package.json at them until `postpack`. */
function prepack(): void {
  // An earlier run was interrupted.
  if (existsSync(kept)) postpack();
  compile();
  copyFileSync(join(root, "LICENSE"), "LICENSE");
  copyFileSync("package.json", kept);
  const manifest = JSON.parse(readFileSync("package.json", "utf8")) as Manifest;
  delete manifest.scripts;
  manifest.exports = mapValues(manifest.exports, (path) =>
    path.endsWith(".ts") ? { types: compiled(path, ".d.ts"), default: compiled(path, ".js") } : path,
  ) as Record<string, string>;
  if (manifest.bin !== undefined) manifest.bin = mapValues(manifest.bin, (path) => compiled(path, ".js"));
  writeFileSync("package.json", `${JSON.stringify(manifest, null, 2)}\n`);
}

/** Undoes the changes of `prepack`, except for `dist/`, which git ignores. */
function postpack(): void {
  renameSync(kept, "package.json");
  rmSync("LICENSE", { force: true });
}

function compile(): void {
  rmSync("dist", { recursive: true, force: true });
  const tsc = join(root, "node_modules/typescript/bin/tsc");
  const flags = ["--noEmit", "false", "--declaration", "--rewriteRelativeImportExtensions"];
  execFileSync(process.execPath, [tsc, "-p", ".", ...flags, "--rootDir", ".", "--outDir", "dist"], {
    stdio: "inherit",
  });
  // The compiler rewrites imports, but neither the URLs of sibling modules nor the imports of declarations.
  for (const file of globSync("dist/**/*.{js,d.ts}")) {
    const text = readFileSync(file, "utf8");
    const pattern = file.endsWith(".d.ts")
      ? /((?:from|import\() ?"\.{1,2}\/[^"]+)\.ts"/g
      : /(new URL\("\.{1,2}\/[^"]+)\.ts"/g;
    writeFileSync(file, text.replace(pattern, '$1.js"'));
  }
}

const compiled = (path: string, extension: string): string =>
  path.replace(/^\.\//, "./dist/").replace(/\.ts$/, extension);

function mapValues<From, To>(record: Record<string, From> = {}, change: (value: From) => To) {
  return Object.fromEntries(Object.entries(record).map(([key, value]) => [key, change(value)]));
}

const [hook] = process.argv.slice(2);
if (hook === "prepack") prepack();
else if (hook === "postpack") postpack();
else throw new Error("Usage: pack-package.ts prepack|postpack");
