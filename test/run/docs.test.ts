import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { expect, it } from "vitest";

const root = resolve(import.meta.dirname, "../..");

function tracked(...patterns: readonly string[]): readonly string[] {
  return execFileSync("git", ["ls-files", ...patterns], { cwd: root, encoding: "utf8" })
    .trim()
    .split("\n");
}

const pages = tracked("*.md");
/** The installed program has a folder named resources/ too, so pages may name files that are not here. */
const rooms = new Set(tracked("*/*").map((path) => path.split("/", 1)[0]));
rooms.delete("resources");

/** The paths of this repository that a page names in backticks. Paths with placeholders do not count. */
function pathsIn(page: string): readonly string[] {
  const text = readFileSync(resolve(root, page), "utf8");
  return [...text.matchAll(/`([\w.-]+)(\/[\w./-]*)`/g)].flatMap(([, room = "", rest = ""]) =>
    rooms.has(room) ? [room + rest] : [],
  );
}

function exists(page: string, path: string): boolean {
  return [root, resolve(root, dirname(page))].some((folder) => existsSync(resolve(folder, path)));
}

it("the pages name paths to check", () => {
  expect(pathsIn("docs/architecture.md")).toContain("convex/http.ts");
});

it.each(pages)("%s names only files and folders that exist", (page) => {
  expect(pathsIn(page).filter((path) => !exists(page, path))).toEqual([]);
});
