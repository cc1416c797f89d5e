import type { Context, ESTree, Rule } from "@oxlint/plugins";

type Import = ESTree.ImportDeclaration;

/**
 * Lint's rule for the order of imports: first those for their effects, then Node's, packages' and our own, each by name,
 * without empty lines between them. The names that an import takes are in order too.
 */
export const importOrder: Rule = {
  meta: { fixable: "code" },
  create: (context) => ({
    Program(program) {
      for (const block of importBlocks(program)) check(context, block);
    },
  }),
};

/** The imports that stand together, without other statements between them. */
function importBlocks({ body }: ESTree.Program): readonly (readonly Import[])[] {
  const blocks: Import[][] = [];
  for (const [i, node] of body.entries()) {
    if (node.type !== "ImportDeclaration") continue;
    if (body[i - 1]?.type === "ImportDeclaration") blocks.at(-1)?.push(node);
    else blocks.push([node]);
  }
  return blocks;
}

function check(context: Context, block: readonly Import[]): void {
  const [first, last] = [block[0], block.at(-1)];
  if (first === undefined || last === undefined) return;
  const { sourceCode } = context;
  const range: [number, number] = [first.range[0], last.range[1]];
  const sorted = block.toSorted(compareImports);
  const text = sorted.map((each) => withSortedNames(each, sourceCode.text)).join("\n");
  const hasComments = sourceCode
    .getAllComments()
    .some(({ range: [start, end] }) => start > range[0] && end < range[1]);
  const message = "Sort the imports: npm run -s lint -- --fix.";
  if (!hasComments) {
    if (text === sourceCode.text.slice(...range)) return;
    context.report({ node: first, message, fix: (fixer) => fixer.replaceTextRange(range, text) });
  } else if (sorted.some((each, i) => each !== block[i] || !hasSortedNames(each))) {
    // A fix does not know which import a comment belongs to.
    context.report({ node: first, message });
  }
}

function compareImports(a: Import, b: Import): number {
  const [groupA, groupB] = [group(a), group(b)];
  // The order of effects matters.
  if (groupA !== groupB || groupA === 0) return groupA - groupB;
  return (
    compare(sortKey(a.source.value), sortKey(b.source.value)) ||
    compare(a.importKind ?? "value", b.importKind ?? "value")
  );
}

function group({ source: { value }, specifiers }: Import): number {
  if (specifiers.length === 0) return 0;
  if (value.startsWith("node:")) return 1;
  return /^@?\w/.test(value) ? 2 : 3;
}

/** Puts `../../x` before `../x`, that before `./x`, and a folder's files before `folder-two/x`. */
function sortKey(specifier: string): string {
  const swapped: Readonly<Record<string, string>> = { ".": "_", "/": "-", _: ".", "-": "/" };
  return specifier
    .replace(/^[./]*\.$/, "$&/")
    .replace(/^[./]*\/$/, "$&,")
    .replace(/[./_-]/g, (character) => swapped[character] ?? character);
}

const collator = new Intl.Collator("en", { sensitivity: "base", numeric: true });

function compare(a: string, b: string): number {
  if (a === b) return 0;
  return collator.compare(a, b) || (a < b ? -1 : 1);
}

function names({ specifiers }: Import): readonly ESTree.ImportSpecifier[] {
  return specifiers.filter((each) => each.type === "ImportSpecifier");
}

function sortedNames(node: Import): readonly ESTree.ImportSpecifier[] {
  return names(node).toSorted((a, b) => compare(nameOf(a), nameOf(b)));
}

function nameOf({ imported }: ESTree.ImportSpecifier): string {
  return imported.type === "Literal" ? imported.value : imported.name;
}

function hasSortedNames(node: Import): boolean {
  const sorted = sortedNames(node);
  return names(node).every((each, i) => each === sorted[i]);
}

/** The statement's text with its names in order, and everything between them as it was. */
function withSortedNames(node: Import, text: string): string {
  const sorted = sortedNames(node);
  let result = "";
  let at = node.range[0];
  for (const [i, { range }] of names(node).entries()) {
    const [start, end] = sorted[i]?.range ?? range;
    result += text.slice(at, range[0]) + text.slice(start, end);
    at = range[1];
  }
  return result + text.slice(at, node.range[1]);
}
