import { describe, expect, it } from "vitest";
import { startableCount } from "./job-turns.ts";

describe("startableCount", () => {
  const [m, n] = [{ key: "m" }, { key: "n" }];
  const loaded = { key: "m", sequences: 3 };
  it.each([
    ["no job waits", [], [], loaded, 0],
    ["nothing is loaded", [m, m], [], null, 1],
    ["the first one still loads its model", [m], [m], null, 0],
    ["there is room for all", [m, m], [m], loaded, 2],
    ["there is room for some", [m, m, m], [m, m], loaded, 1],
    ["it is full", [m], [m, m, m], loaded, 0],
    ["another model's job waits first", [n, m], [m], loaded, 0],
    ["another model's job waits in between", [m, n, m], [m], loaded, 1],
    ["it is another model's turn", [n, n, m], [], loaded, 1],
    ["another model's job runs", [m], [n], loaded, 0],
  ])("counts the jobs that may start when %s", (_, waiting, running, kept, count) => {
    expect(startableCount(waiting, running, kept)).toBe(count);
  });
});
