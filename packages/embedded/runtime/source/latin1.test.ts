import vm from "node:vm";
import { expect, test } from "vitest";
import { noMap, toScript } from "./bundle-script.ts";
import type { FileBody, ModuleNamespace } from "./bundled-script.ts";
import { withTicks } from "./loop-ticks.ts";

const beyond = /[^\0-\xff]/;

test.each([
  ["/[’é]+/u", "/[\\u2019é]+/u"],
  ["/\\’/", "/\\u2019/"],
  ["/\\\\’/", "/\\\\\\u2019/"],
  ["/(?<ω>😀)/u", "/(?<\\u03c9>\\ud83d\\ude00)/u"],
  ["String.raw`a’${x}😀`", 'String.raw`a${"\\u2019"}${x}${"\\ud83d"}${"\\ude00"}`'],
])("a character beyond Latin-1 becomes an escape: %s", (code, expected) => {
  expect(withTicks(code, noMap).code.endsWith(expected)).toBe(true);
});

test("a tag that would notice gets the characters as they are", () => {
  expect(withTicks("tag`’`", noMap).code).toContain("tag`’`");
});

test("a script with such characters everywhere has none, and does the same", async () => {
  const source = [
    "// ’",
    "export const results = () => [",
    "  '’', `’${1}`, String.raw`\\p{L}’\\n${'’'}😀`, '’😀x'.replace(/[’]|😀/gu, '.'), /^\\’$/.test('’'),",
    "  'a’b'.match(/(?<ω>’)/u).groups.ω ];",
  ].join("\n");
  const { code } = await toScript([{ path: "messages.js", source }]);
  expect(code).not.toMatch(beyond);
  const files = new vm.Script(code).runInThisContext() as { readonly [file: string]: FileBody };
  const module: { exports: ModuleNamespace } = { exports: {} };
  const ticks = { fuel: new Int32Array([1_000]), refuel: () => undefined, reserve: {} as never };
  files["./messages.js"]?.(() => ({}), module, ticks);
  const results = module.exports["results"] as () => unknown;
  expect(results()).toEqual(["’", "’1", "\\p{L}’\\n’😀", "..x", true, "’"]);
});
