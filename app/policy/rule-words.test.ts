import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { ruleWords } from "./rule-words.ts";
import { ruleNames } from "./rules.ts";

it("stands, word for word, in what administrators read", () => {
  const page = readFileSync(new URL("../../docs/donor/policy.md", import.meta.url), "utf8");
  for (const name of ruleNames) expect(page).toContain(`| ${ruleWords[name].title} | \`${name}\` |`);
});
