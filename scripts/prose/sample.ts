import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import ts from "typescript";
import { createRandom } from "../demo-model/corpus/random.ts";

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
  const source = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true);
  found.comments.push(...commentsOf(source));
  if (/\.(test|spec)\./.test(path)) found["test names"].push(...testNames(source));
  else if (path.startsWith("renderer/")) found["screen sentences"].push(...screenTexts(source));
}

// The factor (Knuth's) spreads small seeds, whose first numbers would all be small.
const random = createRandom(Number(values.seed) * 2_654_435_761);
for (const [kind, texts] of Object.entries(found)) {
  console.log(`\n${kind}: ${String(each)} of ${String(texts.length)}`);
  for (const text of random.sample([...new Set(texts)], each)) console.log(`- ${text}`);
}

/** Walks the syntax tree, because a plain scanner misreads what follows a template literal. */
function commentsOf(source: ts.SourceFile): string[] {
  const ranges = new Map<number, string>();
  const visit = (node: ts.Node): void => {
    const leading = ts.getLeadingCommentRanges(source.text, node.pos) ?? [];
    const trailing = ts.getTrailingCommentRanges(source.text, node.end) ?? [];
    for (const { pos, end } of [...leading, ...trailing]) ranges.set(pos, source.text.slice(pos, end));
    for (const child of node.getChildren(source)) if (!ts.isJSDoc(child)) visit(child);
  };
  visit(source);
  return [...ranges.values()]
    .map((text) =>
      text
        .replace(/^\/\*+|\s*\*+\/$|^\/\/|^\s*\*/gm, "")
        .replace(/\s+/g, " ")
        .trim(),
    )
    .filter((comment) => comment.split(" ").length >= 4 && !comment.startsWith("oxlint"));
}

/** A test's full name, as the runner prints it: its groups, then its own. */
function testNames(node: ts.Node, groups: readonly string[] = []): string[] {
  const name = ts.isCallExpression(node) ? node.arguments[0] : undefined;
  const callee = ts.isCallExpression(node)
    ? /^(describe|it|test)(?=\.|$)/.exec(node.expression.getText())?.[0]
    : undefined;
  const title =
    name !== undefined && ts.isStringLiteralLike(name) && callee !== undefined
      ? [...groups, name.text]
      : groups;
  if (title !== groups && callee !== "describe") return [title.join(" › ")];
  const names: string[] = [];
  node.forEachChild((child) => void names.push(...testNames(child, title)));
  return names;
}

function screenTexts(source: ts.SourceFile): string[] {
  return nodesOf(source)
    .filter((node) => ts.isJsxText(node) || ts.isStringLiteralLike(node))
    .map((node) => node.text.replace(/\s+/g, " ").trim())
    .filter((text) => sentence.test(text));
}

function nodesOf(node: ts.Node): ts.Node[] {
  const children: ts.Node[] = [];
  node.forEachChild((child) => void children.push(...nodesOf(child)));
  return [node, ...children];
}
