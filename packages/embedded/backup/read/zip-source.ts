import { stat } from "node:fs/promises";
import { type Entry, openPromise, type ZipFile } from "yauzl";
import { engineTableName } from "../../names/table-name.ts";
import { errorMessage } from "../../values/errors.ts";
import { readArchiveName } from "../archive-names.ts";
import type { NumberStyle } from "../export-values.ts";
import { ImportFailure } from "./import-failure.ts";
import type { ImportSource, SourceFile, SourceTable } from "./import-source.ts";
import { documentRows } from "./table-source.ts";
import { textLines } from "./text-lines.ts";

const maxEntries = 1_000_000;
/**
 * An archive may unpack to this size plus `maxRatio` times its own. That is enough for any real export and
 * stops ZIP bombs.
 */
const alwaysAllowedBytes = 1024 ** 3;
const maxRatio = 100;
/** Convex's present format; older exports described each table's values instead. */
const uniform = '"uniform"';

/** Opens the output of `npx convex export`. Rejects with ImportFailure for any other file. */
export async function zipSource(
  path: string,
  baseComponent: string,
  freeBytes = alwaysAllowedBytes,
): Promise<ImportSource> {
  const zip = await openZip(path);
  try {
    const entries = await readEntries(zip, freeBytes + maxRatio * (await stat(path)).size);
    const styles = await numberStyles(zip, entries);
    const below = (component: string) => [baseComponent, component].filter((each) => each !== "").join("/");
    const tables: SourceTable[] = [];
    const files: SourceFile[] = [];
    for (const entry of entries) {
      const name = readArchiveName(entry.fileName);
      if (name.kind === "documents") {
        const { table } = name;
        const style = styles.get(engineTableName(name)) ?? "plain";
        const file = entry.fileName;
        const rows = () => documentRows(contentOf(zip, entry), file, style);
        tables.push({ component: below(name.component), table, file, rows });
      } else if (name.kind === "file") {
        const open = () => zip.openReadStreamPromise(entry);
        files.push({ component: below(name.component), id: name.id, open });
      }
    }
    if (tables.length === 0) {
      throw new ImportFailure("The ZIP file has no TABLE/documents.jsonl in it: it is not an export.");
    }
    return { tables, files, close: () => zip.close() };
  } catch (error) {
    zip.close();
    throw error;
  }
}

async function openZip(path: string): Promise<ZipFile> {
  try {
    return await openPromise(path, { lazyEntries: true, autoClose: false });
  } catch (error) {
    throw unreadable(error);
  }
}

async function readEntries(zip: ZipFile, limit: number): Promise<readonly Entry[]> {
  if (zip.entryCount > maxEntries) {
    throw new ImportFailure(`The ZIP file has more than ${String(maxEntries)} files.`);
  }
  const entries: Entry[] = [];
  let bytes = 0;
  try {
    for await (const entry of zip.eachEntry()) {
      bytes += entry.uncompressedSize;
      if (bytes > limit) {
        throw new ImportFailure(
          `The ZIP file unpacks to more than ${String(limit)} bytes, ${String(maxRatio)} times its size: ` +
            "it may be a ZIP bomb.",
        );
      }
      entries.push(entry);
    }
  } catch (error) {
    throw unreadable(error);
  }
  return entries;
}

async function numberStyles(
  zip: ZipFile,
  entries: readonly Entry[],
): Promise<ReadonlyMap<string, NumberStyle>> {
  const styles = new Map<string, NumberStyle>();
  for (const entry of entries) {
    const name = readArchiveName(entry.fileName);
    if (name.kind !== "generated_schema") continue;
    const first = await textLines(contentOf(zip, entry), entry.fileName).next();
    const text = first.done === true ? "" : first.value.text;
    if (text === uniform) styles.set(engineTableName(name), "exported");
    else if (/int64|bytes|field_name|infinity|nan/i.test(text)) {
      throw new ImportFailure(
        `${entry.fileName}: this export was made by an older Convex, whose integers and bytes cannot be told ` +
          "from text. Export again with the present one.",
      );
    }
  }
  return styles;
}

/** Yields an entry's bytes. Throws ImportFailure if the archive is damaged there. */
async function* contentOf(zip: ZipFile, entry: Entry): AsyncGenerator<Uint8Array> {
  try {
    yield* (await zip.openReadStreamPromise(entry)) as AsyncIterable<Uint8Array>;
  } catch (error) {
    throw unreadable(error);
  }
}

function unreadable(error: unknown): Error {
  if (error instanceof ImportFailure) return error;
  return new ImportFailure(`The ZIP file cannot be read: ${errorMessage(error)}.`);
}
