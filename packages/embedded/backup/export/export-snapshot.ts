import type { Readable } from "node:stream";
import { setImmediate } from "node:timers/promises";
import type { IndexEntry, TableEntry } from "../../engine/model/catalog.ts";
import type { DocumentJson } from "../../engine/model/types.ts";
import { Store } from "../../engine/store/store.ts";
import type { FileStore } from "../../storage/file-store.ts";
import { successor } from "../../values/keys/bytes.ts";
import { archivePrefix, README } from "../archive-names.ts";
import { exportLine } from "../export-values.ts";
import { writeZip, type ZipWriter } from "../zip-writer.ts";
import { fileRowOf } from "./copied-files.ts";
import { type ExportedTable, exportedTables, STORAGE_TABLE } from "./exported-tables.ts";
import { extensionOf } from "./file-extension.ts";

const PAGE = 256;

const README_TEXT = `# An export of a Convex deployment

TABLE/documents.jsonl has a table's documents, one JSON object a line. Files are in _storage, the tables of
components below _components. The format is that of \`npx convex export\`; \`npx convex import FILE.zip\` takes it.
`;

export type ExportJob = {
  /** A copy of the data file: the one state that is exported. Nobody else may have it open. */
  readonly copy: string;
  /** The ZIP to write; must not exist. */
  readonly target: string;
  /** Null where files are left out. */
  readonly files: Pick<FileStore, "read"> | null;
};

/** Writes a copy of the database in the format of `npx convex export`. What is in memory is a page at a time. */
export async function exportSnapshot({ copy, target, files }: ExportJob): Promise<void> {
  const store = new Store(copy);
  try {
    const { components, tables, storage } = exportedTables(store.tables());
    await writeZip(target, async (zip) => {
      await zip.add(README, [README_TEXT]);
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
  // Says that all values are written in the one way that needs no schema to be read.
  await zip.add(`${folder}/generated_schema.jsonl`, ['"uniform"\n']);
}

async function addFiles(
  zip: ZipWriter,
  store: Store,
  { component, entry }: ExportedTable,
  files: Pick<FileStore, "read">,
): Promise<void> {
  const folder = `${archivePrefix(component)}${STORAGE_TABLE}`;
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

/** A table's documents by id. Others get their turn between pages. */
async function* pages(store: Store, table: TableEntry): AsyncGenerator<readonly DocumentJson[]> {
  const byId = table.indexes.find((index) => index.name === "by_id") as IndexEntry;
  let lower: Uint8Array | null = new Uint8Array(0);
  while (lower !== null) {
    const rows = store.scan(byId, lower, null, "asc", PAGE);
    yield rows.map(({ json }) => JSON.parse(json) as DocumentJson);
    const last = rows.at(-1);
    lower = last === undefined ? null : successor(last.key);
    await setImmediate();
  }
}
