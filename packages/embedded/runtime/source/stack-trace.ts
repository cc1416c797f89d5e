import { SourceMap } from "node:module";
import { isFileName } from "./bundled-script.ts";
import { type PackedMap, unpackMap } from "./packed-map.ts";

/** Maps a stack of the bundle to lines of the developer's files. */
export type StackMapper = (stack: string) => readonly string[];

/** Begins the names of functions that bundling adds. */
const addedPrefix = "__convex";

const frame = /^\s+at (?:(async )?(.*?) )?\(?([^()\s]+):(\d+):(\d+)\)?$/;
/** A call of a function that is part of JavaScript. */
const builtInFrame = /^ {4}at (?:async Promise\.\w+ \(index \d+\)|\S.* \(<anonymous>\))$/;

/** The part of the convex package that calls functions, and that functions call. */
const convexImplementation = "node_modules/convex/src/server/impl/";
const packages = "node_modules/";

/** A line of a stack. Calls of the convex package are left out at both ends, and those of JavaScript itself at the end. */
type Line = { readonly text: string; readonly of: "functions" | "convex" | "JavaScript" };

/** A parsed map takes ten times the memory of its text: tens of megabytes. So it is kept only while errors come. */
const keptMs = 10_000;

/**
 * Creates a mapper. `sourceMaps` maps script names to source maps. Drops the frames of other scripts, which are ours or Node's. As on
 * Convex, a stack has the frames of installed packages, too, but does not begin or end with those of the convex package.
 */
export function createStackMapper(sourceMaps: ReadonlyMap<string, PackedMap>): StackMapper {
  // Parse maps only when needed: it takes long for large ones, and most runs never throw.
  const parsed = new Map<string, SourceMap>();
  let forget: NodeJS.Timeout | null = null;
  const mapOf = (script: string): SourceMap | null => {
    const packed = sourceMaps.get(script);
    if (packed === undefined) return null;
    const map = parsed.get(script) ?? new SourceMap(unpackMap(packed));
    parsed.set(script, map);
    forget ??= setTimeout(() => {
      parsed.clear();
      forget = null;
    }, keptMs).unref();
    forget.refresh();
    return map;
  };
  return (stack) => {
    const lines: Line[] = [];
    for (const line of stack.split("\n")) {
      const [, isAsync, name, script, row, column] = frame.exec(line) ?? [];
      // An error that a function created has such positions already.
      if (script?.startsWith("../") === true) lines.push({ text: line, of: "functions" });
      else if (builtInFrame.test(line)) lines.push({ text: line, of: "JavaScript" });
      const map = script === undefined ? null : mapOf(script);
      if (map === null || name?.startsWith(addedPrefix) === true) continue;
      const entry = map.findEntry(Number(row) - 1, Number(column) - 1);
      if (!("originalSource" in entry)) continue;
      const place = `${placeOf(entry.originalSource)}:${entry.originalLine + 1}:${entry.originalColumn + 1}`;
      const isUnnamed = name === undefined || isFileName(name);
      const text = `    at ${isAsync ?? ""}${isUnnamed ? "<anonymous>" : name} (${place})`;
      lines.push({ text, of: entry.originalSource.includes(convexImplementation) ? "convex" : "functions" });
    }
    return trimmed(lines).map(({ text }) => text);
  };
}

/** A package's files may be anywhere on the machine. */
function placeOf(source: string): string {
  const at = source.lastIndexOf(packages);
  return `../${at === -1 ? source : source.slice(at)}`;
}

function trimmed(lines: readonly Line[]): readonly Line[] {
  const end = lines.findLastIndex((line) => line.of === "functions") + 1;
  const start = lines.findIndex((line) => line.of !== "convex");
  return lines.slice(Math.max(start, 0), end);
}
