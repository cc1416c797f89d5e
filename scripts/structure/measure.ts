import { readFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import { parseSync } from "oxc-parser";
import { nodesOf, textOf } from "../syntax.ts";
import { isTest, roomOf } from "./rooms.ts";

/** One TypeScript file of ours, by its path from the repository's root, and the files that it imports. */
export type SourceFile = {
  readonly path: string;
  readonly lines: number;
  readonly imports: readonly string[];
  /** True for tests and fixtures. They do not count toward any size. */
  readonly test: boolean;
};

type RoomFigures = {
  readonly room: string;
  readonly files: number;
  readonly lines: number;
  readonly medianLines: number;
  readonly p90Lines: number;
};

/**
 * Reads the files and resolves what they import, types included, within the repository.
 * @param root the folder that holds the repository.
 * @param paths its TypeScript files, from the root.
 */
export function readSources(root: string, paths: readonly string[]): SourceFile[] {
  const known = new Set(paths);
  const packages = packageExports(root, paths);
  return paths.map((path) => {
    const text = readFileSync(join(root, path), "utf8");
    const imports = importsOf(path, text)
      .map((specifier) => resolveImport(path, specifier, known, packages))
      .filter((target) => target !== null);
    return { path, lines: text.split("\n").length - 1, imports: [...new Set(imports)], test: isTest(path) };
  });
}

/** The modules that a file names in imports and exports, static or dynamic, and in types such as `import("…").T`. */
function importsOf(path: string, text: string): readonly string[] {
  const parsed = parseSync(path, text);
  const { staticImports, staticExports } = parsed.module;
  const exported = staticExports.flatMap(({ entries }) => entries.map(({ moduleRequest }) => moduleRequest));
  const requests = [...staticImports.map(({ moduleRequest }) => moduleRequest), ...exported];
  // The tree of syntax takes most of the time, and few files have such imports.
  const others = text.includes("import(") ? nodesOf(parsed.program) : [];
  return [
    ...requests.flatMap((request) => request?.value ?? []),
    ...others.flatMap((node) =>
      node.type === "ImportExpression" || node.type === "TSImportType" ? (textOf(node.source) ?? []) : [],
    ),
  ];
}

/** The exports of each workspace package: "@gleaner/queue/worker" → "packages/queue/worker/index.ts". */
function packageExports(root: string, paths: readonly string[]): ReadonlyMap<string, string> {
  const folders = new Set(
    paths.map((path) => /^packages\/[^/]+/.exec(path)?.[0]).filter((path) => path !== undefined),
  );
  const entries = [...folders].flatMap((folder) => {
    const manifest = JSON.parse(readFileSync(join(root, folder, "package.json"), "utf8")) as {
      readonly name: string;
      readonly exports?: Readonly<Record<string, unknown>>;
    };
    return Object.entries(manifest.exports ?? {}).flatMap(([subpath, target]) =>
      typeof target === "string" ? [[join(manifest.name, subpath), join(folder, target)] as const] : [],
    );
  });
  return new Map(entries);
}

function resolveImport(
  from: string,
  specifier: string,
  known: ReadonlySet<string>,
  packages: ReadonlyMap<string, string>,
): string | null {
  const target = specifier.startsWith(".")
    ? normalize(join(dirname(from), specifier))
    : packages.get(specifier);
  if (target === undefined) return null;
  const candidates = [target, target.replace(/\.js$/, ".ts"), target.replace(/\.js$/, ".tsx")];
  return candidates.find((path) => known.has(path)) ?? null;
}

/** Size of each room, without tests and fixtures. */
export function roomFigures(files: readonly SourceFile[]): RoomFigures[] {
  const rooms = Map.groupBy(
    files.filter(({ test }) => !test),
    ({ path }) => roomOf(path),
  );
  return [...rooms]
    .sort(([a], [b]) => a.localeCompare(b))
    .map(([room, sources]) => {
      const lines = sources.map((source) => source.lines).sort((a, b) => a - b);
      return {
        room,
        files: lines.length,
        lines: lines.reduce((sum, n) => sum + n, 0),
        medianLines: quantile(lines, 0.5),
        p90Lines: quantile(lines, 0.9),
      };
    });
}

function quantile(sorted: readonly number[], share: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
}

/** Folders with more than `most` source files of their own, and the number of these files. */
export function largeFolders(files: readonly SourceFile[], most: number): (readonly [string, number])[] {
  const folders = Map.groupBy(
    files.filter(({ test }) => !test),
    ({ path }) => dirname(path),
  );
  return [...folders]
    .map(([folder, sources]) => [folder, sources.length] as const)
    .filter(([, count]) => count > most)
    .sort(([, a], [, b]) => b - a);
}

/** Files below 30 lines that one other file imports and no test does. Each could move into its caller. */
export function smallSingleCallerFiles(files: readonly SourceFile[]): string[] {
  const importers = importersOf(files);
  return files
    .filter(({ path, lines, test }) => {
      const callers = importers.get(path) ?? [];
      return !test && lines < 30 && callers.length === 1 && callers[0]?.test === false;
    })
    .map(({ path }) => path);
}

function importersOf(files: readonly SourceFile[]): ReadonlyMap<string, readonly SourceFile[]> {
  const importers = new Map<string, SourceFile[]>();
  for (const file of files) {
    for (const target of file.imports) importers.set(target, [...(importers.get(target) ?? []), file]);
  }
  return importers;
}

/** Groups of nodes that import each other in a circle: strongly connected components of more than one node (Tarjan). */
export function circles(graph: ReadonlyMap<string, readonly string[]>): string[][] {
  const index = new Map<string, number>();
  const low = new Map<string, number>();
  const stack: string[] = [];
  const found: string[][] = [];
  function visit(node: string): void {
    index.set(node, index.size);
    low.set(node, index.get(node) ?? 0);
    stack.push(node);
    for (const next of graph.get(node) ?? []) {
      if (!index.has(next)) visit(next);
      if (stack.includes(next)) low.set(node, Math.min(low.get(node) ?? 0, low.get(next) ?? 0));
    }
    if (low.get(node) !== index.get(node)) return;
    const component = stack.splice(stack.indexOf(node));
    if (component.length > 1) found.push(component.sort());
  }
  for (const node of graph.keys()) if (!index.has(node)) visit(node);
  return found;
}

/** The imports between source files, without tests. */
export function fileGraph(files: readonly SourceFile[]): ReadonlyMap<string, readonly string[]> {
  return new Map(files.filter(({ test }) => !test).map(({ path, imports }) => [path, imports]));
}

/** The imports between rooms, without tests. A file in the root is in no room. */
export function roomGraph(files: readonly SourceFile[]): ReadonlyMap<string, readonly string[]> {
  const graph = new Map<string, Set<string>>();
  for (const { path, imports } of files.filter(({ test }) => !test)) {
    const room = roomOf(path);
    const others = imports.map(roomOf).filter((other) => other !== room);
    graph.set(room, new Set([...(graph.get(room) ?? []), ...others]));
  }
  return new Map([...graph].map(([room, others]) => [room, [...others]]));
}

/** Pairs of folders that import each other, without tests. */
export function mutualFolders(files: readonly SourceFile[]): (readonly [string, string])[] {
  const arrows = new Set(
    files
      .filter(({ test }) => !test)
      .flatMap(({ path, imports }) => imports.map((target) => `${dirname(path)} ${dirname(target)}`)),
  );
  return [...arrows]
    .map((arrow) => arrow.split(" ") as [string, string])
    .filter(([a, b]) => a < b && arrows.has(`${b} ${a}`));
}

/** True if one folder of a pair contains the other. Outside of packages/ such a pair is fine. */
export function isNested([outer, inner]: readonly [string, string]): boolean {
  return inner.startsWith(`${outer}/`);
}
