import { SourceMap } from "node:module";
import { isFileName } from "./bundled-script.ts";
import { type PackedMap, unpackMap } from "./packed-map.ts";

/** Maps a stack of the bundle to lines of the developer's files. */
export type StackMapper = (stack: string) => readonly string[];

/** Begins the names of functions that bundling adds. */
const addedPrefix = "__convex";

const frame = /^\s+at (?:(async )?(.*?) )?\(?([^()\s]+):(\d+):(\d+)\)?$/;

/** A parsed map takes ten times the memory of its text: tens of megabytes. So it is kept only while errors come. */
const keptMs = 10_000;

/**
 * Creates a mapper. `sourceMaps` maps script names to source maps. Drops the frames of other scripts,
 * which are ours or Node's, and those of installed packages.
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
    const lines: string[] = [];
    for (const line of stack.split("\n")) {
      const [, isAsync, name, script, row, column] = frame.exec(line) ?? [];
      // An error that a function created has such positions already.
      if (script?.startsWith("../") === true) lines.push(line);
      const map = script === undefined ? null : mapOf(script);
      if (map === null || name?.startsWith(addedPrefix) === true) continue;
      const entry = map.findEntry(Number(row) - 1, Number(column) - 1);
      if (!("originalSource" in entry) || entry.originalSource.includes("node_modules/")) continue;
      const place = `../${entry.originalSource}:${entry.originalLine + 1}:${entry.originalColumn + 1}`;
      const isUnnamed = name === undefined || isFileName(name);
      lines.push(`    at ${isAsync ?? ""}${isUnnamed ? "<anonymous>" : name} (${place})`);
    }
    return lines;
  };
}
