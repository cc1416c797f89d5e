import { execFileSync } from "node:child_process";
import { resolve } from "node:path";
import { expect, it } from "vitest";
import {
  circles,
  fileGraph,
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

it("the repository has no folders that import each other", () => {
  expect(mutualFolders(files)).toEqual([]);
});

it("the repository has no folder with more than 20 source files", () => {
  expect(largeFolders(files, 20)).toEqual([]);
});
