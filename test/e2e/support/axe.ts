import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { Page } from "@playwright/test";
import type { AxeResults, RunOptions } from "axe-core";

const source = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

/** Everything that axe finds on the page, down to the minor findings. Each is one line. */
export async function findingsOf(page: Page, options: RunOptions = {}): Promise<readonly string[]> {
  // Evaluated, not added as an element: the page's policy allows no scripts of others.
  if (!(await page.evaluate(() => "axe" in window))) await page.evaluate(source);
  // Colors that have just changed are measured after they were drawn.
  await page.evaluate(
    () => new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn))),
  );
  const { violations } = await page.evaluate(
    (asked) =>
      (window as unknown as { axe: { run: (options: object) => Promise<AxeResults> } }).axe.run(asked),
    Object.assign({ resultTypes: ["violations"] }, options) as object,
  );
  return violations.flatMap(({ id, impact, nodes }) =>
    nodes.map(({ html }) => `${id} (${String(impact)}): ${html.slice(0, 160)}`),
  );
}

/** Also checks that a name contains its visible label, which axe calls experimental. */
export const allRules: RunOptions = { rules: { "label-content-name-mismatch": { enabled: true } } };

/** The rules whose findings depend on the theme. */
export const colorRules: NonNullable<RunOptions["runOnly"]> = {
  type: "rule",
  values: ["color-contrast", "link-in-text-block"],
};
