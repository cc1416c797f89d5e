import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import * as z from "zod";
import { type Component, sbom, sbomProblems, shippedSbom } from "./shipped.ts";

/**
 * `npm run sbom`: writes the installed program's software bill of materials to out/sbom.cdx.json, in CycloneDX's format.
 * Fails if a component has no hash or no license that we accept.
 */
const root = resolve(import.meta.dirname, "../..");

function readJson<T>(path: string, shape: z.ZodType<T>): T {
  return shape.parse(JSON.parse(readFileSync(join(root, path), "utf8")));
}

/** Installed programs contain Electron, though it is a development dependency. */
function electron(): Component {
  const { version, license } = readJson(
    "node_modules/electron/package.json",
    z.object({ version: z.string(), license: z.string() }),
  );
  const checksums = readJson("node_modules/electron/checksums.json", z.record(z.string(), z.string()));
  const archives = Object.entries(checksums).filter(([name]) => name.startsWith(`electron-v${version}-`));
  return {
    "bom-ref": `electron@${version}`,
    type: "framework",
    name: "electron",
    version,
    purl: `pkg:npm/electron@${version}`,
    licenses: [{ license: { id: license } }],
    hashes: archives.map(([, content]) => ({ alg: "SHA-256", content })),
    properties: archives.map(([name, content]) => ({ name: `sha256:${name}`, value: content })),
  };
}

/** The npm packages of node-llama-cpp contain llama.cpp's libraries. Their hashes are those of the packages. */
function llamaCpp(packages: readonly Component[]): Component {
  const { tag, llamaCppGithubRepo } = readJson(
    "node_modules/node-llama-cpp/llama/llama.cpp.info.json",
    z.object({ tag: z.string(), llamaCppGithubRepo: z.string() }),
  );
  const libraries = packages.filter(({ "bom-ref": ref }) => ref.startsWith("@node-llama-cpp/"));
  return {
    "bom-ref": `llama.cpp@${tag}`,
    type: "library",
    name: "llama.cpp",
    version: tag,
    purl: `pkg:github/${llamaCppGithubRepo}@${tag}`,
    licenses: [{ license: { id: "MIT" } }],
    hashes: libraries.flatMap(({ hashes = [] }) => hashes),
  };
}

function demoModel(): Component {
  const { id, sha256, licence } = readJson(
    "resources/demo-model/manifest.json",
    z.object({ id: z.string(), sha256: z.string(), licence: z.string() }),
  );
  return {
    "bom-ref": `${id}@${sha256.slice(0, 12)}`,
    type: "machine-learning-model",
    name: id,
    version: sha256.slice(0, 12),
    licenses: [{ license: { id: licence } }],
    hashes: [{ alg: "SHA-256", content: sha256 }],
  };
}

const npm = ["sbom", "--sbom-format=cyclonedx", "--omit=dev"];
const printed = execFileSync("npm", npm, {
  cwd: root,
  encoding: "utf8",
  maxBuffer: 64 * 1024 * 1024,
  // npm warns about settings of this computer's user.
  stdio: ["ignore", "pipe", "ignore"],
});
const ofNpm = sbom.parse(JSON.parse(printed));
const shipped = shippedSbom(ofNpm, [electron(), llamaCpp(ofNpm.components), demoModel()]);
const path = join(root, "out", "sbom.cdx.json");
mkdirSync(join(root, "out"), { recursive: true });
writeFileSync(path, `${JSON.stringify(shipped, null, 2)}\n`);
const problems = sbomProblems(shipped);
for (const problem of problems) console.error(problem);
console.log(`out/sbom.cdx.json: ${shipped.components.length} components, ${problems.length} problems`);
process.exitCode = problems.length === 0 ? 0 : 1;
