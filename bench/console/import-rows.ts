import { execFile } from "node:child_process";
import { randomUUID } from "node:crypto";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { ConvexHttpClient } from "convex/browser";
import { makeFunctionReference } from "convex/server";
import { convexToJson, type Value } from "convex/values";
import type { Farm } from "../../launch/farm/farm.ts";
import { exportLine } from "../../packages/embedded/backup/export-values.ts";
import { writeZip } from "../../packages/embedded/backup/zip-writer.ts";
import type { Row, Rows } from "./copies.ts";

const tableData = makeFunctionReference<"query">("_system/cli/tableData");

type AdminClient = {
  setAdminAuth(key: string): void;
  function(reference: unknown, component: string | undefined, args: unknown): Promise<unknown>;
};

/** The newest rows of a table of the app, or of its component as in "queue/jobs". */
export async function newestRows({ backend, adminKey }: Farm, table: string, most = 1): Promise<Row[]> {
  const client = new ConvexHttpClient(backend.url, { logger: false }) as unknown as AdminClient;
  client.setAdminAuth(adminKey);
  const component = table.startsWith("queue/") ? "queue" : undefined;
  const paginationOpts = { numItems: most, cursor: null };
  const args = { table: table.replace("queue/", ""), order: "desc", paginationOpts };
  const { page } = (await client.function(tableData, component, args)) as { readonly page: readonly Value[] };
  return page.map((row) => convexToJson(row) as Row);
}

/** The newest row of each table. */
export async function sample(farm: Farm, tables: readonly string[]): Promise<Rows> {
  const rows = tables.map(async (table) => {
    const [row] = await newestRows(farm, table);
    if (row === undefined) throw new Error(`The table ${table} has no row to copy.`);
    return [table, row] as const;
  });
  return Object.fromEntries(await Promise.all(rows));
}

/** The rows of each table, by its name. They are read once. */
export type Tables = Readonly<Record<string, Iterable<Row>>>;

/** Writes rows as an export, and returns the file and the number of its rows. */
export async function writeRows(
  folder: string,
  tables: Tables,
): Promise<{ readonly file: string; readonly rows: number }> {
  const file = join(folder, `rows-${randomUUID()}.zip`);
  let rows = 0;
  await writeZip(file, async (zip) => {
    for (const [table, of] of Object.entries(tables)) {
      const path = table.replace(/^(\w+)\//, "_components/$1/");
      await zip.add(`${path}/generated_schema.jsonl`, ['"uniform"\n']);
      await zip.add(
        `${path}/documents.jsonl`,
        lines(of, () => (rows += 1)),
        { compress: false },
      );
    }
  });
  return { file, rows };
}

/** Adds the rows of a file by `npx convex import`, in one step. */
export async function importFile({ backend, adminKey }: Farm, file: string): Promise<void> {
  const cli = join(import.meta.dirname, "../../node_modules/convex/bin/main.js");
  const where = ["--url", backend.url, "--admin-key", adminKey];
  await promisify(execFile)(process.execPath, [cli, "import", "--append", "-y", file, ...where]);
  await rm(file);
}

/** Writes rows, adds them, and returns their number. */
export async function importRows(farm: Farm, folder: string, tables: Tables): Promise<number> {
  const { file, rows } = await writeRows(folder, tables);
  await importFile(farm, file);
  return rows;
}

/** The rows in blocks of some hundred lines. */
function* lines(rows: Iterable<Row>, onRow: () => void): Generator<string> {
  let block = "";
  for (const row of rows) {
    onRow();
    block += exportLine(row);
    if (block.length < 65_536) continue;
    yield block;
    block = "";
  }
  yield block;
}
