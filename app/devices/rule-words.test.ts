import { expect, it } from "vitest";
import { ruleWords } from "./rule-words.ts";

it("says the conditions of a rule in words", () => {
  expect(ruleWords({ platform: "win32", memoryGb: 16, named: "lab" }, null)).toBe(
    "Windows, name with “lab”, at least 16 GB of memory",
  );
  expect(ruleWords({ gpu: "any", fromVersion: "0.3.0", tag: "encrypted disk" }, null)).toBe(
    "a GPU, version 0.3.0 or newer, tag “encrypted disk”",
  );
  expect(ruleWords({ gpu: "cuda", model: "big", owner: "t1" }, "Research")).toBe(
    "GPU with cuda, model big, owner Research",
  );
  expect(ruleWords({ gpu: "none" }, null)).toBe("no GPU");
});
