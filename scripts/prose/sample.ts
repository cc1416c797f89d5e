import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { type Comment, type Node, parseSync } from "oxc-parser";
import { createRandom } from "../demo-model/corpus/random.ts";
import { childrenOf, nodesOf, textOf } from "../syntax.ts";

/**
 * Picks comments, test names and screen sentences at random, for a reader who judges the language.
 * `npm run -s prose -- --seed 7 --each 10 [FOLDER]`: the same seed picks the same places.
 */
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { seed: { type: "string", default: "1" }, each: { type: "string", default: "10" } },
});
const root = resolve(positionals[0] ?? ".");
const each = Number(values.each);
const paths = execFileSync("git", ["ls-files", "*.ts", "*.tsx"], { cwd: root, encoding: "utf8" })
  .trim()
  .split("\n")
  .filter((path) => !path.includes("_generated/"));

const sentence = /^[A-Z…“"'][^<>{}]*\s\S+\s\S+\s\S+/;
const found = { comments: [] as string[], "test names": [] as string[], "screen sentences": [] as string[] };
for (const path of paths) {
  const text = readFileSync(join(root, path), "utf8");
  const { comments, program } = parseSync(path, text);
  found.comments.push(...commentTexts(comments, text));
  if (/\.(test|spec)\./.test(path)) found["test names"].push(...testNames(program, text));
  else if (path.startsWith("renderer/")) found["screen sentences"].push(...screenTexts(program));
}

// The factor (Knuth's) spreads small seeds, whose first numbers would all be small.
const random = createRandom(Number(values.seed) * 2_654_435_761);
for (const [kind, texts] of Object.entries(found)) {
  console.log(`\n${kind}: ${String(each)} of ${String(texts.length)}`);
  for (const text of random.sample([...new Set(texts)], each)) console.log(`- ${text}`);
}

function commentTexts(comments: readonly Comment[], text: string): string[] {
  return comments
    .map(({ start, end }) =>
      text
        .slice(start, end)
        .replace(/^\/\*+|\s*\*+\/$|^\/\/|^\s*\*/gm, "")
        .replace(/\s+/g, " ")
        .trim(),
    )
    .filter((comment) => comment.split(" ").length >= 4 && !comment.startsWith("oxlint"));
}

/** A test's full name, as the runner prints it: its groups, then its own. */
function testNames(node: Node, text: string, groups: readonly string[] = []): string[] {
  const call = node.type === "CallExpression" ? node : undefined;
  const name = textOf(call?.arguments[0]);
  const { start, end } = call?.callee ?? { start: 0, end: 0 };
  const callee = /^(describe|it|test)(?=\.|$)/.exec(text.slice(start, end))?.[0];
  const title = name !== undefined && callee !== undefined ? [...groups, name] : groups;
  if (title !== groups && callee !== "describe") return [title.join(" › ")];
  return childrenOf(node).flatMap((child) => testNames(child, text, title));
}

function screenTexts(program: Node): string[] {
  return nodesOf(program)
    .map((node) => (node.type === "JSXText" ? node.value : textOf(node)))
    .filter((text) => text !== undefined)
    .map((text) => text.replace(/\s+/g, " ").trim())
    .filter((text) => sentence.test(text));
}
