import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { ruleNames, rules } from "./rules.ts";

it("has every rule with its title on the page docs/donor/policy.md", () => {
  const page = readFileSync(new URL("../../docs/donor/policy.md", import.meta.url), "utf8");
  for (const name of ruleNames) expect(page).toContain(`| ${rules[name].title} | \`${name}\` |`);
});
