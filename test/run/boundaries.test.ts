import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, relative, resolve } from "node:path";
import { afterAll, expect, it } from "vitest";
import * as z from "zod";
import { restrictedPackages, rooms, type Row } from "../../scripts/structure/rooms.ts";

const root = resolve(import.meta.dirname, "../..");
/** A repository with nothing but the probes. */
const work = mkdtempSync(join(tmpdir(), "boundaries-"));
afterAll(() => rmSync(work, { recursive: true, force: true }));

const report = z.object({
  number_of_files: z.number(),
  diagnostics: z.array(
    z.object({
      code: z.string().default(""),
      filename: z.string(),
      labels: z.array(z.object({ span: z.object({ line: z.number() }) })),
    }),
  ),
});

/**
 * The lines at which lint's boundary rules refuse each file; no lines for a file that they accept. The rules are those
 * of the repository, without types, since none of the boundaries needs them.
 * @param probes the content of each file, by its path from the repository's root.
 */
function lint(probes: Readonly<Record<string, string>>): ReadonlyMap<string, readonly number[]> {
  const config = `
    import config from ${JSON.stringify(join(root, "oxlint.config.ts"))};
    const jsPlugins = [${JSON.stringify(join(root, "scripts/structure/lint-plugin.ts"))}];
    export default { ...config, jsPlugins, options: { ...config.options, typeAware: false } };`;
  for (const [file, code] of Object.entries({ "oxlint.config.ts": config, ...probes })) {
    mkdirSync(join(work, dirname(file)), { recursive: true });
    writeFileSync(join(work, file), code);
  }
  const oxlint = join(root, "node_modules/oxlint/bin/oxlint");
  const { stdout, stderr } = spawnSync(process.execPath, [oxlint, "--format=json", ...Object.keys(probes)], {
    cwd: work,
    encoding: "utf8",
    maxBuffer: 1 << 28,
  });
  if (!stdout.startsWith("{")) throw new Error(`oxlint: ${stdout}${stderr}`);
  const { diagnostics, number_of_files } = report.parse(JSON.parse(stdout));
  expect(number_of_files).toBe(Object.keys(probes).length);
  const refused = new Map<string, readonly number[]>(Object.keys(probes).map((file) => [file, []]));
  for (const { code, filename, labels } of diagnostics) {
    // A file that cannot be parsed has a problem without a code.
    if (code === "") throw new Error(`${filename} has a syntax error`);
    if (!/^(gleaner\((deadlines|imports|syntax)\)|eslint\(no-restricted-)/.test(code)) continue;
    refused.set(filename, [...(refused.get(filename) ?? []), ...labels.map(({ span }) => span.line)]);
  }
  return refused;
}

type Probe = readonly [file: string, code: string];

/** The refused lines of each probe, in order. Probes of the same name are told apart by a number. */
function lintEach(probes: readonly Probe[]): readonly (readonly number[])[] {
  const numbered = probes.map(([file, code], i) => [file.replace("/probe.", `/probe-${i}.`), code] as const);
  expect(new Set(numbered.map(([file]) => file)).size).toBe(probes.length);
  const refused = lint(Object.fromEntries(numbered));
  return numbered.map(([file]) => refused.get(file) ?? []);
}

/** A static and a dynamic import of llama.cpp in a folder. */
function loadsLlama(folder: string): Probe[] {
  return [
    [`${folder}/probe.ts`, 'import { getLlama } from "node-llama-cpp"; getLlama();'],
    [`${folder}/probe.ts`, 'export const llama = import("node-llama-cpp");'],
  ];
}

const wrong: readonly Probe[] = [
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
  ["sim/probe.ts", 'import { x } from "../main/log.ts"; x();'],
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
  ["convex/probe.ts", "export const list = query(async (ctx) => 1);"],
  ["convex/probe.ts", "export const list = query({ handler: async (ctx) => 1 });"],
  ["packages/queue/component/probe.ts", "export const list = internalQuery({ handler: async (ctx) => 1 });"],
  ["convex/probe.ts", "export const get = (ctx: any, id: any) => ctx.db.get(id);"],
  ["convex/model/probe.ts", "export const put = ({ db }: any, id: any) => db.patch(id, {});"],
  ["packages/queue/client/probe.ts", "export const remove = (ctx: any, id: any) => ctx.db.delete(id);"],
  ["convex/probe.ts", 'export const all = (ctx: any) => ctx.db.query("jobs").filter((q: any) => q);'],
  [
    "convex/probe.ts",
    'export const all = ({ db }: any) => db.query("a").withIndex("b").filter((q: any) => q);',
  ],
  ["convex/probe.ts", 'cronJobs().hourly("sweep", { minuteUTC: 0 }, sweep);'],
  ["convex/probe.ts", 'cronJobs().cron("sweep", "0 * * * *", sweep);'],
  ["main/probe.ts", 'import { z } from "zod"; z.string();'],
  ["main/probe.ts", "export default 1;"],
];

const refused = lintEach(wrong);

it.each(wrong.map((probe, i) => [...probe, i] as const))("lint refuses in %s: %s", (_file, _code, i) => {
  expect(refused[i]).not.toEqual([]);
});

const right: readonly Probe[] = [
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
  ["convex/probe.ts", "export const list = query({ args: {}, handler: async (ctx) => 1 });"],
  ["convex/probe.ts", 'export const get = (ctx: any, id: any) => ctx.db.get("jobs", id);'],
  ["convex/probe.ts", "export const get = (jobs: Map<string, string>) => jobs.get(id);"],
  [
    "convex/probe.ts",
    'export const all = async ({ db }: any) => (await db.query("a").collect()).filter(Boolean);',
  ],
  ["convex/probe.ts", 'cronJobs().cron("sweep", "10 * * * *", sweep);'],
  ["convex/schema.ts", "export default 1;"],
];

const accepted = lintEach(right);

it.each(right.map((probe, i) => [...probe, i] as const))("lint accepts in %s: %s", (_file, _code, i) => {
  expect(accepted[i]).toEqual([]);
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
  const isOfNode = name.startsWith("node:") && rights.includes("node:");
  return rights.includes("*") || rights.includes(name) || isOfNode;
}

const forms = [
  ["import ", ";", false],
  ["export * from ", ";", false],
  ["void import(", ");", false],
  ["import type {} from ", ";", true],
  ["export type * from ", ";", true],
  ["void 0 as import(", ").x;", true],
] as const;

const trials = table.flatMap(([room, row]) => {
  const all = samples(room, row);
  return forms.map(([words, end, typeOnly]) => {
    const lines = all.map(({ specifier }) => words + JSON.stringify(specifier) + end);
    const expected = lines.filter((_, i) => !allows(room, row, all[i]!, typeOnly));
    return { room, lines, expected };
  });
});

const triedLines = lintEach(trials.map(({ room, lines }) => [`${room}/probe.ts`, lines.join("\n")]));

it.each(table)("lint accepts in %s/ exactly the imports of its row", (name) => {
  for (const [i, { room, lines, expected }] of trials.entries()) {
    if (room !== name) continue;
    const found = new Set(triedLines[i]?.map((line) => lines[line - 1]));
    expect([...found].toSorted()).toEqual(expected.toSorted());
  }
});

it("lint refuses a file in a folder that is no room", () => {
  expect(lintEach([["attic/probe.ts", 'import "node:fs";']])).not.toEqual([[]]);
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
