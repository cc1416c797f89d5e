import { describe, expect, it } from "vitest";
import { changesText, detailLines } from "./changes.ts";

describe("changes", () => {
  it("are written as the field, the value before and the value after", () => {
    const text = changesText([
      ["groups", [], ["lab", "night"]],
      ["memory (MB)", undefined, 4096],
      ["GPU", true, false],
      ["name", "Old", "Old"],
    ]);
    expect(text).toBe("groups: none → lab, night; memory (MB): not set → 4096; GPU: yes → no");
  });

  it("that change nothing are written as nothing", () => {
    expect(changesText([["tags", ["a"], ["a"]]])).toBe("");
  });

  it("with long values are cut", () => {
    expect(changesText([["template", "", "x".repeat(9_000)]]).length).toBeLessThan(600);
  });

  it("are read back for the console, beside plain sentences", () => {
    expect(detailLines("groups: none → lab; 3 sessions")).toEqual([
      { kind: "change", field: "groups", before: "none", after: "lab" },
      { kind: "words", words: "3 sessions" },
    ]);
  });
});
