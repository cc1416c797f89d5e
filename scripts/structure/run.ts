import { execFileSync } from "node:child_process";
import { resolve } from "node:path";
import { parseArgs } from "node:util";
import {
  circles,
  fileGraph,
  isNested,
  largeFolders,
  mutualFolders,
  readSources,
  roomFigures,
  roomGraph,
  smallSingleCallerFiles,
} from "./measure.ts";

/** A folder with more source files than this should be split. */
const mostFiles = 20;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { json: { type: "boolean", default: false } },
});
const root = resolve(positionals[0] ?? ".");
const paths = execFileSync("git", ["ls-files", "*.ts", "*.tsx"], { cwd: root, encoding: "utf8" })
  .trim()
  .split("\n")
  .filter((path) => !path.includes("_generated/"));
const files = readSources(root, paths);
const rooms = roomFigures(files);
const pairs = mutualFolders(files);
const figures = {
  rooms,
  files: rooms.reduce((sum, room) => sum + room.files, 0),
  lines: rooms.reduce((sum, room) => sum + room.lines, 0),
  circles: circles(fileGraph(files)),
  circlesOfRooms: circles(roomGraph(files)),
  mutualFolders: pairs.filter((pair) => !isNested(pair)),
  nestedMutualFolders: pairs.filter(isNested),
  largeFolders: largeFolders(files, mostFiles),
  smallSingleCallerFiles: smallSingleCallerFiles(files),
};

if (values.json) {
  console.log(JSON.stringify(figures));
} else {
  console.table(rooms);
  console.log(`${String(figures.files)} files, ${String(figures.lines)} lines, tests aside`);
  print(
    "circles of imports",
    figures.circles.map((circle) => circle.join(" → ")),
  );
  print(
    "circles of rooms",
    figures.circlesOfRooms.map((circle) => circle.join(" → ")),
  );
  print(
    "pairs of folders that import each other",
    figures.mutualFolders.map((pair) => pair.join(" ⇄ ")),
  );
  print(
    "folders that import a folder inside them and are imported by it",
    figures.nestedMutualFolders.map((pair) => pair.join(" ⇄ ")),
  );
  print(
    `folders with more than ${String(mostFiles)} source files`,
    figures.largeFolders.map(([folder, count]) => `${folder}: ${String(count)}`),
  );
  print("files below 30 lines with one caller and no test", figures.smallSingleCallerFiles);
}

function print(title: string, lines: readonly string[]): void {
  console.log(`\n${title}: ${String(lines.length)}`);
  for (const line of lines) console.log(`  ${line}`);
}
