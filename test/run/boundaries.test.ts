import { readFileSync } from "node:fs";
import { join, relative, resolve } from "node:path";
import { ESLint, type Linter } from "eslint";
import tseslint from "typescript-eslint";
import { expect, it } from "vitest";
import { restrictedPackages, rooms, type Row } from "../../scripts/structure/rooms.ts";

const root = resolve(import.meta.dirname, "../..");
const eslint = new ESLint({ cwd: root, overrideConfig: [tseslint.configs.disableTypeChecked] });

/** The messages of the boundary rules for a file with this content. */
async function refusals(file: string, code: string): Promise<readonly string[]> {
  return (await boundaryMessages(file, code)).map(({ message }) => message);
}

async function boundaryMessages(file: string, code: string): Promise<readonly Linter.LintMessage[]> {
  const [result] = await eslint.lintText(code, { filePath: join(root, file) });
  return (result?.messages ?? []).filter(({ ruleId }) => /^(rooms\/|no-restricted-)/.test(ruleId ?? ""));
}

/** A static and a dynamic import of llama.cpp in a folder. */
function loadsLlama(folder: string): [file: string, code: string][] {
  return [
    [`${folder}/probe.ts`, 'import { getLlama } from "node-llama-cpp"; getLlama();'],
    [`${folder}/probe.ts`, 'export const llama = import("node-llama-cpp");'],
  ];
}

it.each([
  ["app/probe.ts", 'import { readFileSync } from "node:fs"; readFileSync("x");'],
  ["app/probe.ts", 'import { x } from "../main/log.ts"; x();'],
  ["app/probe.ts", "export const now = Date.now();"],
  ["app/probe.ts", "export const now = new Date();"],
  ["app/probe.ts", "export const chance = Math.random();"],
  ["convex/probe.ts", 'import { readFileSync } from "fs"; readFileSync("x");'],
  ["convex/model/probe.ts", "let runs = 0; export const count = () => (runs += 1);"],
  ["packages/queue/component/model/probe.ts", "export let runs = 0; runs += 1;"],
  ["convex/probe.ts", 'import { x } from "../main/log.ts"; x();'],
  ["packages/embedded/probe.ts", 'import { x } from "../../app/assert-never.ts"; x();'],
  ["packages/embedded/probe.ts", 'import { x } from "../../convex/model/refuse.ts"; x();'],
  ["main/donor/probe.ts", 'import { app } from "electron"; app.quit();'],
  ["main/donor/probe.ts", 'import { app } from "electron/main"; app.quit();'],
  ["main/donor/probe.ts", 'export const app = import("electron");'],
  ["main/face/probe.ts", 'import { app } from "electron"; app.quit();'],
  ["main/face/web-socket/probe.ts", 'import { ipcMain } from "electron"; ipcMain.handle("x", () => 1);'],
  ["main/donor/probe.ts", 'import { x } from "../../convex/model/refuse.ts"; x();'],
  ["main/supervisor/probe.ts", 'import { getLlama } from "node-llama-cpp"; getLlama();'],
  ["main/supervisor/probe.ts", 'export const llama = import("node-llama-cpp");'],
  ["main/supervisor/probe.test.ts", 'import { getLlama } from "node-llama-cpp"; getLlama();'],
  ["main/window/probe.ts", 'import { getLlama } from "node-llama-cpp"; getLlama();'],
  ["renderer/console/probe.ts", 'import { getLlama } from "node-llama-cpp"; getLlama();'],
  ...["app", "cli", "launch", "bench", "bench/inference", "chaos", "sim", "examples/hash-files"].flatMap(
    loadsLlama,
  ),
  ...["scripts", "scripts/demo-model", "test/launch", "convex", "packages/embedded"].flatMap(loadsLlama),
  ["app/probe.test.ts", 'import { getLlama } from "node-llama-cpp"; getLlama();'],
  ["main/supervisor/process/probe.ts", 'import { x } from "../../runner/inference.ts"; x();'],
  ["main/window/probe.ts", 'import { x } from "../runner/inference.ts"; x();'],
  ["main/runner/load/probe.ts", 'import { x } from "../../supervisor/attempt.ts"; x();'],
  ["main/runner/probe.ts", 'import { app } from "electron"; app.quit();'],
  ["main/runner/load/probe.ts", 'import { x } from "../../models/manifest.ts"; x();'],
  ["scripts/icons/probe.js", 'import { x } from "../../cli/donor/ask.ts"; x();'],
  ["packages/queue/worker/probe.ts", 'import { x } from "../../../main/donor/donor.ts"; x();'],
  ["packages/queue/component/model/probe.ts", 'import type { x } from "../../client/queue.ts"; let y: x;'],
  ["packages/queue/component/probe.ts", 'import type { x } from "../worker/worker.ts"; let y: x;'],
  ["packages/queue/client/probe.ts", 'import type { x } from "../worker/worker.ts"; let y: x;'],
  ["packages/queue/worker/probe.ts", 'import type { x } from "../client/queue.ts"; let y: x;'],
  ["packages/queue/worker/probe.ts", 'import { x } from "../component/work.ts"; x();'],
  ["packages/queue/shared/probe.ts", 'import type { x } from "../component/component.ts"; let y: x;'],
  ["packages/queue/worker/probe.ts", 'import { readFileSync } from "node:fs"; readFileSync("x");'],
  ["main/donor/probe.ts", "export const point = { ...{ x: 1 } };"],
  ["app/probe.ts", "export const point = { ...{ x: 1 } };"],
  ["main/window/probe.ts", 'import { ipcMain } from "electron"; ipcMain.handle("x", () => 1);'],
  ["renderer/panel/probe.ts", 'import { x } from "../../main/log.ts"; x();'],
  ["launch/farm/probe.ts", 'import { x } from "../../cli/donor/ask.ts"; x();'],
  ["cli/donor/probe.ts", 'import { x } from "../../test/launch/program.ts"; x();'],
  ["cli/operator/probe.ts", 'import { x } from "../../packages/embedded/index.ts"; x();'],
  ["bench/engine/probe.ts", 'import { x } from "../../sim/structures/random.ts"; x();'],
  ["sim/engine/probe.ts", 'import { x } from "../../bench/support/statistics.ts"; x();'],
  ["sim/probe.ts", 'import { x } from "../app/assert-never.ts"; x();'],
  ["chaos/probe.ts", 'import { x } from "../cli/donor/ask.ts"; x();'],
  ["scripts/icons/probe.ts", 'import { x } from "../../main/log.ts"; x();'],
  ["examples/hash-files/probe.ts", 'import { x } from "../../launch/core/paths.ts"; x();'],
  ["renderer/panel/probe.ts", 'import fs from "fs"; fs.readFileSync("x");'],
  ["renderer/console/probe.ts", "export const bridge = window.gleaner;"],
  ["convex/probe.test.ts", 'import { x } from "../main/log.ts"; x();'],
  ["main/donor/probe.fixture.ts", 'import { x } from "../../cli/donor/ask.ts"; x();'],
  ["packages/queue/worker/probe.ts", 'import { type x } from "../component/component.ts"; let y: x;'],
  ["launch/core/probe.ts", 'void fetch("http://127.0.0.1");'],
  ["convex/probe.ts", 'void fetch("http://127.0.0.1", { method: "POST" });'],
  ["renderer/console/probe.ts", 'void window.fetch("/config");'],
  ["launch/farm/probe.ts", 'import { ConvexHttpClient } from "convex/browser"; new ConvexHttpClient("x");'],
])("lint refuses in %s: %s", async (file, code) => {
  expect(await refusals(file, code)).not.toEqual([]);
});

it.each([
  [
    "app/probe.ts",
    'import * as z from "zod"; export const day = (now: number) => z.date().parse(new Date(now));',
  ],
  [
    "main/donor/probe.ts",
    'import { ConvexClient } from "convex/browser"; import { api } from "../../convex/_generated/api.js"; new ConvexClient(api);',
  ],
  ["main/runner/load/probe.ts", 'import { getLlama } from "node-llama-cpp"; getLlama();'],
  ["main/runner/load/probe.test.ts", 'import { getLlama } from "node-llama-cpp"; getLlama();'],
  ["bench/inference/direct-process.ts", 'import { getLlama } from "node-llama-cpp"; getLlama();'],
  ["scripts/demo-model/evaluation/model.ts", 'import { getLlama } from "node-llama-cpp"; getLlama();'],
  ["main/supervisor/probe.ts", 'import { x } from "../../app/contract/runner.ts"; x();'],
  ["packages/queue/worker/probe.ts", 'import type { x } from "../component/component.ts"; let y: x;'],
  ["packages/queue/client/probe.ts", 'import { x } from "../shared/work.ts"; x();'],
  ["main/window/probe.ts", 'import { BrowserWindow } from "electron"; new BrowserWindow();'],
  ["bench/probe.ts", 'import { x } from "../packages/embedded/server.ts"; x();'],
  ["sim/probe.ts", 'import { slotsFor } from "../packages/queue/component/model/placement.ts"; slotsFor(3);'],
  ["cli/donor/probe.ts", 'import { paths } from "../../launch/core/paths.ts"; paths();'],
  ["cli/operator/probe.ts", 'import { verifyBackup } from "@gleaner/embedded/operator"; verifyBackup("x");'],
  ["main/face/electron/probe.ts", 'import { ipcMain } from "electron"; ipcMain.handle("x", () => 1);'],
  [
    "app/probe.test.ts",
    'import { it } from "vitest"; import { readFileSync } from "fs"; it("", readFileSync);',
  ],
  ["launch/core/probe.ts", 'void fetch("http://127.0.0.1", { signal: AbortSignal.timeout(1_000) });'],
  ["packages/embedded/probe.ts", "export const get = (...args: [string]) => fetch(...args);"],
  ["launch/core/probe.test.ts", 'void fetch("http://127.0.0.1");'],
  ["packages/queue/client/probe.test.ts", 'import { x } from "../worker/worker.ts"; x();'],
])("lint accepts in %s: %s", async (file, code) => {
  expect(await refusals(file, code)).toEqual([]);
});

const table = Object.entries(rooms);
const packages = new Set(table.flatMap(([, row]) => row.packages));
packages.delete("*");

/** An import to try: a folder, file or package of the table, and the specifier that names it. */
type Sample = { readonly name: string; readonly path: boolean; readonly specifier: string };

/** A file in each room, one in each folder that the row names, and each package of the table. */
function samples(room: string, row: Row): readonly Sample[] {
  const folders = new Set([...Object.keys(rooms), ...row.rooms, ...(row.types ?? [])]);
  folders.delete("*");
  return [
    ...[...folders].map((name) => {
      const path = relative(room, name.endsWith(".ts") ? name : `${name}/other.ts`);
      return { name, path: true, specifier: path.startsWith(".") ? path : `./${path}` };
    }),
    ...[...packages].map((name) => ({
      name,
      path: false,
      specifier: name === "node:" ? "node:fs" : name,
    })),
  ];
}

/** Whether the row allows the sample. */
function allows(room: string, row: Row, { name, path }: Sample, typeOnly: boolean): boolean {
  const owners = path ? undefined : restrictedPackages[name];
  if (owners?.includes(room) === false) return false;
  const rights = path ? [room, ...row.rooms, ...(typeOnly ? (row.types ?? []) : [])] : row.packages;
  return rights.includes("*") || rights.includes(name);
}

it.each(table)("lint accepts in %s/ exactly the imports of its row", async (room, row) => {
  const all = samples(room, row);
  for (const [words, end, typeOnly] of [
    ["import ", ";", false],
    ["export * from ", ";", false],
    ["void import(", ");", false],
    ["import type {} from ", ";", true],
    ["export type * from ", ";", true],
    ["void 0 as import(", ").x;", true],
  ] as const) {
    const lines = all.map(({ specifier }) => words + JSON.stringify(specifier) + end);
    const messages = await boundaryMessages(`${room}/probe.ts`, lines.join("\n"));
    const refused = new Set(messages.map(({ line }) => lines[line - 1]));
    expect([...refused].toSorted()).toEqual(
      lines.filter((_, i) => !allows(room, row, all[i]!, typeOnly)).toSorted(),
    );
  }
});

it("lint refuses a file in a folder that is no room", async () => {
  expect(await refusals("attic/probe.ts", 'import "node:fs";')).not.toEqual([]);
});

it("docs/architecture.md has the imports of each room as in the table", () => {
  const page = readFileSync(join(root, "docs/architecture.md"), "utf8");
  const shown = [...page.matchAll(/^\| `([\w/]+)\/` \| .* \| (.*) \|$/gm)].map(([, room, imports]) => [
    room,
    imports,
  ]);
  expect(Object.fromEntries(shown)).toEqual(
    Object.fromEntries(table.map(([room, row]) => [room, inWords(row)])),
  );
});

function inWords({ rooms: others, types = [], packages: names }: Row): string {
  if (others.includes("*")) return "everything";
  const paths = [...others, ...names].map((name) => (name === "node:" ? "Node" : `\`${name}\``));
  return [...paths, ...types.map((folder) => `types of \`${folder}\``)].join(", ") || "nothing";
}
