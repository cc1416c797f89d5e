import { SourceMap, type SourceMapPayload } from "node:module";

/** Turns a stack of the bundle into lines of the developer's own files. */
export type StackMapper = (stack: string) => readonly string[];

const FRAME = /^\s+at (?:(async )?(.*?) )?\(?([^()\s]+):(\d+):(\d+)\)?$/;

/**
 * Makes a mapper for one script. Frames of other scripts are ours or Node's and are dropped, as are those of
 * installed packages.
 */
export function createStackMapper(scriptName: string, sourceMapJson: string): StackMapper {
  // Parsing a large map takes long; most runs never throw.
  let map: SourceMap | null = null;
  return (stack) => {
    map ??= new SourceMap(JSON.parse(sourceMapJson) as SourceMapPayload);
    const lines: string[] = [];
    for (const line of stack.split("\n")) {
      const [, isAsync, name, script, row, column] = FRAME.exec(line) ?? [];
      if (script !== scriptName) continue;
      const entry = map.findEntry(Number(row) - 1, Number(column) - 1);
      if (!("originalSource" in entry) || entry.originalSource.includes("node_modules/")) continue;
      const place = `../${entry.originalSource}:${entry.originalLine + 1}:${entry.originalColumn + 1}`;
      lines.push(`    at ${isAsync ?? ""}${name === undefined ? place : `${name} (${place})`}`);
    }
    return lines;
  };
}
