import { describe, expect, it } from "vitest";
import {
  circles,
  isNested,
  largeFolders,
  mutualFolders,
  roomFigures,
  roomGraph,
  smallSingleCallerFiles,
  type SourceFile,
} from "./measure.ts";

const file = (path: string, lines: number, imports: readonly string[] = [], test = false): SourceFile => ({
  path,
  lines,
  imports,
  test,
});

describe("circles", () => {
  it("circles finds each group of files that import each other", () => {
    const graph = new Map([
      ["a", ["b"]],
      ["b", ["c", "d"]],
      ["c", ["a"]],
      ["d", []],
    ]);
    expect(circles(graph)).toEqual([["a", "b", "c"]]);
  });

  it("circles finds nothing in a tree", () => {
    const graph = new Map([
      ["a", ["b", "c"]],
      ["b", ["c"]],
      ["c", []],
    ]);
    expect(circles(graph)).toEqual([]);
  });
});

it("roomFigures gives a room's size without its tests", () => {
  const files = [file("app/a.ts", 10), file("app/b.ts", 30), file("app/b.test.ts", 500, [], true)];
  expect(roomFigures(files)).toEqual([{ room: "app", files: 2, lines: 40, medianLines: 30, p90Lines: 30 }]);
});

it("roomFigures counts a package as a room of its own", () => {
  const files = [file("packages/queue/client/a.ts", 1), file("packages/embedded/main.ts", 1)];
  expect(roomFigures(files).map(({ room }) => room)).toEqual(["packages/embedded", "packages/queue"]);
});

it("roomGraph has the imports between rooms, and a circle of rooms shows in it", () => {
  const files = [
    file("a/x.ts", 1, ["b/y.ts", "a/z.ts"]),
    file("a/z.ts", 1),
    file("b/y.ts", 1),
    file("b/w.ts", 1, ["a/z.ts"]),
    file("b/w.test.ts", 1, ["c/t.ts"], true),
  ];
  expect(Object.fromEntries(roomGraph(files))).toEqual({ a: ["b"], b: ["a"] });
  expect(circles(roomGraph(files))).toEqual([["a", "b"]]);
});

it("largeFolders names folders with more source files than allowed", () => {
  const files = [file("app/a.ts", 1), file("app/b.ts", 1), file("app/a.test.ts", 1, [], true)];
  expect(largeFolders(files, 1)).toEqual([["app", 2]]);
  expect(largeFolders(files, 2)).toEqual([]);
});

it("mutualFolders finds folders that import each other, and isNested says whether one contains the other", () => {
  const files = [
    file("a/x.ts", 1, ["b/y.ts", "a/in/z.ts"]),
    file("b/y.ts", 1, ["a/w.ts"]),
    file("a/w.ts", 1),
    file("a/in/z.ts", 1, ["a/w.ts"]),
  ];
  const pairs = mutualFolders(files);
  expect(pairs).toEqual([
    ["a", "b"],
    ["a", "a/in"],
  ]);
  expect(pairs.map(isNested)).toEqual([false, true]);
});

it("smallSingleCallerFiles names a small file with one caller unless a test imports it", () => {
  const small = file("app/small.ts", 5);
  const caller = file("app/caller.ts", 100, ["app/small.ts"]);
  const test = file("app/small.test.ts", 20, ["app/small.ts"], true);
  expect(smallSingleCallerFiles([small, caller])).toEqual(["app/small.ts"]);
  expect(smallSingleCallerFiles([small, caller, test])).toEqual([]);
});
