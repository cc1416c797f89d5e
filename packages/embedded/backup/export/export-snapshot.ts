import type { Readable } from "node:stream";
import { setImmediate } from "node:timers/promises";
import type { JSONValue } from "convex/values";
import type { IndexEntry, TableEntry } from "../../engine/model/catalog.ts";
import type { DocumentJson } from "../../engine/model/types.ts";
import { Store } from "../../engine/store/store.ts";
import { type ComponentPath, parseEngineTableName } from "../../names/table-name.ts";
import { fileTable } from "../../storage/file-rows.ts";
import type { FileStore } from "../../storage/file-store.ts";
import { emptyKey, type Key, prefixEnd, successor } from "../../values/keys/key.ts";
import { encodeKey } from "../../values/keys/key-encoding.ts";
import { archivePrefix, readme } from "../archive-names.ts";
import { exportLine } from "../export-values.ts";
import { writeZip, type ZipWriter } from "../zip-writer.ts";

const rowsPerPage = 256;

const readmeText = `# An export of a Convex deployment

TABLE/documents.jsonl has a table's documents, one JSON object a line. Files are in _storage, the tables of
components below _components. The format is that of \`npx convex export\`; \`npx convex import FILE.zip\` takes it.
`;

type ExportJob = {
  /** A copy of the data file, in the state to export. Nothing else may have it open. */
  readonly copy: string;
  /** The ZIP to write; it must not exist. */
  readonly target: string;
  /** Null to leave the files out. */
  readonly files: Pick<FileStore, "read"> | null;
};

/** Writes a copy of the database in the format of `npx convex export`. Holds one page of documents in memory. */
export async function exportSnapshot({ copy, target, files }: ExportJob): Promise<void> {
  const store = new Store(copy);
  try {
    const { components, tables, storage } = exportedTables(store.tables());
    await writeZip(target, async (zip) => {
      await zip.add(readme, [readmeText]);
      for (const component of components) {
        const own = tables.filter((each) => each.component === component);
        const lines = own.map(({ table, entry }) => `${JSON.stringify({ name: table, id: entry.number })}\n`);
        await zip.add(`${archivePrefix(component)}_tables/documents.jsonl`, lines);
      }
      for (const each of tables) await addTable(zip, store, each);
      if (files !== null) for (const each of storage) await addFiles(zip, store, each, files);
    });
  } finally {
    store.close();
  }
}

async function addTable(
  zip: ZipWriter,
  store: Store,
  { component, table, entry }: ExportedTable,
): Promise<void> {
  const folder = `${archivePrefix(component)}${table}`;
  await zip.add(`${folder}/documents.jsonl`, lines(store, entry, exportLine));
  // Marks the encoding that can be read without a schema.
  await zip.add(`${folder}/generated_schema.jsonl`, ['"uniform"\n']);
}

async function addFiles(
  zip: ZipWriter,
  store: Store,
  { component, entry }: ExportedTable,
  files: Pick<FileStore, "read">,
): Promise<void> {
  const folder = `${archivePrefix(component)}${storageTable}`;
  const line = (document: DocumentJson) => fileLine(document, fileRowOf(store, document).storageId);
  await zip.add(`${folder}/documents.jsonl`, lines(store, entry, line));
  for await (const page of pages(store, entry)) {
    for (const document of page) {
      const content: Readable = files.read(fileRowOf(store, document).key);
      const name = `${folder}/${document["_id"] as string}${extensionOf(document["contentType"])}`;
      await zip.add(name, content as AsyncIterable<Buffer>);
    }
  }
}

function fileLine(
  { _id, _creationTime, sha256, size, contentType }: DocumentJson,
  internalId: string,
): string {
  // Convex writes these as plain JSON, unlike the documents of other tables.
  return `${JSON.stringify({ _id, _creationTime, sha256, size, contentType, internalId })}\n`;
}

async function* lines(
  store: Store,
  table: TableEntry,
  format: (document: DocumentJson) => string,
): AsyncGenerator<string> {
  for await (const page of pages(store, table)) yield page.map(format).join("");
}

/** Yields a table's documents by id. Lets other work run between pages. */
async function* pages(store: Store, table: TableEntry): AsyncGenerator<readonly DocumentJson[]> {
  const byId = table.indexes.find((index) => index.name === "by_id") as IndexEntry;
  let lower: Key | null = emptyKey;
  while (lower !== null) {
    const rows = store.scan(byId, lower, null, "asc", rowsPerPage);
    yield rows.map(({ json }) => JSON.parse(json) as DocumentJson);
    const last = rows.at(-1);
    lower = last === undefined ? null : successor(last.key);
    await setImmediate();
  }
}

type FileRow = { readonly storageId: string; readonly key: string };

/** Finds the row that a copied database has for the bytes of a `_storage` document. */
function fileRowOf(store: Store, document: DocumentJson): FileRow {
  const index = store
    .tables()
    .find(({ name }) => name === fileTable.name)
    ?.indexes.find(({ name }) => name === "by_file");
  const prefix = encodeKey([document["_id"]]);
  const [row] = index === undefined ? [] : store.scan(index, prefix, prefixEnd(prefix), "asc", 1);
  if (row === undefined) throw new Error(`The file ${document["_id"] as string} has no bytes on record.`);
  const { storageId, key } = JSON.parse(row.json) as DocumentJson;
  return { storageId: storageId as string, key: key as string };
}

type ExportedTable = {
  readonly component: ComponentPath;
  readonly table: string;
  readonly entry: TableEntry;
};

const storageTable = "_storage";

/** Returns the tables that an export holds. The only system table among them is that of the files. */
function exportedTables(entries: readonly TableEntry[]): {
  readonly components: readonly ComponentPath[];
  readonly tables: readonly ExportedTable[];
  readonly storage: readonly ExportedTable[];
} {
  const all = entries
    .map((entry) => ({ ...parseEngineTableName(entry.name), entry }))
    .sort((a, b) => a.entry.number - b.entry.number);
  const tables = all.filter(({ table }) => !table.startsWith("_"));
  const storage = all.filter(({ table }) => table === storageTable);
  const components = new Set(["", ...[...tables, ...storage].map(({ component }) => component)]);
  return { components: [...components].sort(), tables, storage };
}

/** Usual extensions by content type. They only help people who look into an export. */
const extensions: ReadonlyMap<string, string> = new Map([
  ["application/json", ".json"],
  ["application/pdf", ".pdf"],
  ["application/x-ndjson", ".jsonl"],
  ["application/jsonl", ".jsonl"],
  ["application/zip", ".zip"],
  ["application/octet-stream", ".bin"],
  ["audio/mpeg", ".mp3"],
  ["audio/wav", ".wav"],
  ["image/gif", ".gif"],
  ["image/jpeg", ".jpg"],
  ["image/png", ".png"],
  ["image/svg+xml", ".svg"],
  ["image/webp", ".webp"],
  ["text/css", ".css"],
  ["text/csv", ".csv"],
  ["text/html", ".html"],
  ["text/javascript", ".js"],
  ["text/markdown", ".md"],
  ["text/plain", ".txt"],
  ["video/mp4", ".mp4"],
]);

/** Returns the extension for a content type, with its dot; empty if it is unknown. */
function extensionOf(contentType: JSONValue | undefined): string {
  if (typeof contentType !== "string") return "";
  return extensions.get(contentType.split(";", 1)[0]?.trim().toLowerCase() ?? "") ?? "";
}
