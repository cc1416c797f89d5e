import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { expect, it } from "vitest";
import manifest from "../../package.json" with { type: "json" };
import {
  circles,
  fileGraph,
  isNested,
  largeFolders,
  mutualFolders,
  readSources,
  roomGraph,
} from "../../scripts/structure/measure.ts";

const root = resolve(import.meta.dirname, "../..");
const paths = execFileSync("git", ["ls-files", "*.ts", "*.tsx"], { cwd: root, encoding: "utf8" })
  .trim()
  .split("\n")
  .filter((path) => !path.includes("_generated/"));
const files = readSources(root, paths);

it("the graph has the imports of this repository", () => {
  const graph = fileGraph(files);
  expect(graph.get("convex/http.ts")).toContain("convex/openai/endpoint.ts");
  expect(graph.get("convex/convex.config.ts")).toContain("packages/queue/component/convex.config.ts");
});

it("the repository has no circles of imports, types included", () => {
  expect(circles(fileGraph(files))).toEqual([]);
});

it("the repository has no circles of rooms", () => {
  expect(roomGraph(files).get("scripts")).toContain("launch");
  expect(circles(roomGraph(files))).toEqual([]);
});

it("the repository has no folders that import each other, and in packages/ not even nested ones", () => {
  const pairs = mutualFolders(files);
  expect(pairs.filter((pair) => pair[0].startsWith("packages/") || !isNested(pair))).toEqual([]);
});

it("the repository has no folder with more than 20 source files", () => {
  expect(largeFolders(files, 20)).toEqual([]);
});

it("npm run types checks every file except the apps of fixtures", () => {
  const projects = [...manifest.scripts.types.matchAll(/-p (\S+)/g)].map(([, project = ""]) => project);
  const checked = new Set(projects.flatMap(filesOfProject));
  const unchecked = paths.filter((path) => !checked.has(path));
  expect(unchecked.filter((path) => !/\/fixtures\/|^test\/published\/apps\//.test(path))).toEqual([]);
});

/** The files that a project includes by itself, not because others import them: lint knows the types of only these. */
function filesOfProject(project: string): readonly string[] {
  const tsc = resolve(root, "node_modules/typescript/bin/tsc");
  const shown = execFileSync(process.execPath, [tsc, "-p", project, "--showConfig"], { cwd: root });
  const { files: included } = JSON.parse(shown.toString()) as { readonly files: readonly string[] };
  return included.map((path) => join(project, path));
}

it("imports in packages/embedded go down the table in docs/embedded.md", () => {
  const page = readFileSync(resolve(root, "docs/embedded.md"), "utf8");
  const [, table = ""] = page.split("Imports go down this table only");
  const rows = table.split("\n\n")[1]?.split("\n").slice(2) ?? [];
  const cells = rows.map((row) => row.split("|")[1] ?? "");
  const rowOf = (path: string): number => cells.findIndex((cell) => cell.includes(`\`${entryOf(path)}\``));
  const sources = files.filter(({ path, test }) => path.startsWith("packages/embedded/") && !test);
  expect(sources.filter(({ path }) => rowOf(path) < 0)).toEqual([]);
  const upward = sources.flatMap(({ path, imports }) =>
    imports
      .filter((target) => target.startsWith("packages/embedded/") && entryOf(path) !== entryOf(target))
      .filter((target) => rowOf(target) <= rowOf(path))
      .map((target) => `${path} imports ${target}`),
  );
  expect(upward).toEqual([]);
});

/** The file or folder directly in packages/embedded that contains the path. */
function entryOf(path: string): string {
  const [entry = "", ...below] = path.split("/").slice(2);
  return below.length === 0 ? entry : `${entry}/`;
}
