import { createReadStream } from "node:fs";
import { setImmediate } from "node:timers/promises";
import { version as convexVersion } from "convex";
import type { TableEntry } from "../../engine/model/catalog.ts";
import type { DocumentJson, Engine } from "../../engine/model/types.ts";
import { formatVersion } from "../../engine/store/file-format.ts";
import { Store } from "../../engine/store/store.ts";
import { fileTable } from "../../storage/file-rows.ts";
import { measured } from "../../storage/measured.ts";
import { asError } from "../../values/errors.ts";
import { emptyKey, type Key, successor } from "../../values/keys/key.ts";
import type { FilesInUse } from "../files-in-use.ts";
import { removeDatabase, type WorkFolder } from "../work-folder.ts";
import { ZipWriter } from "../zip-writer.ts";
import {
  type BackupEntry,
  backupFormat,
  type BackupManifest,
  database,
  filesFolder,
  manifestName,
} from "./backup-manifest.ts";

const page = 500;

export type BackupSource = {
  readonly engine: Engine;
  readonly files: FilesInUse;
  readonly work: WorkFolder;
};

/**
 * Streams the complete state as of one commit as a ZIP. Rejects when no copy could be made; a stream that
 * breaks later ends with an error.
 */
export async function writeBackup({ engine, files, work }: BackupSource): Promise<ZipWriter> {
  const copy = work.newPath("backup-copy");
  // Files that the copy names must stay readable even if they are deleted meanwhile.
  const release = await files.hold();
  const finish = async (): Promise<void> => {
    release();
    await removeDatabase(copy);
  };
  try {
    const createdAt = new Date().toISOString();
    const snapshot = String(await engine.copyTo(copy));
    const { tables, keys } = await contentsOf(copy);
    const zip = new ZipWriter();
    const fill = async (): Promise<void> => {
      const entries: BackupEntry[] = [];
      entries.push(await addEntry(zip, database, createReadStream(copy), true));
      for (const key of keys) {
        // Most stored files are compressed already.
        entries.push(await addEntry(zip, `${filesFolder}/${key}`, files.store.read(key), false));
      }
      const manifest: BackupManifest = {
        kind: "gleaner-backup",
        format: backupFormat,
        createdAt,
        convexVersion,
        snapshot,
        tables,
        entries,
        databaseFormat: formatVersion,
      };
      await zip.add(manifestName, [JSON.stringify(manifest, null, 2)]);
      zip.end();
    };
    const fillAndFinish = async (): Promise<void> => {
      try {
        await fill();
      } catch (error) {
        zip.fail(asError(error));
      } finally {
        await finish();
      }
    };
    void fillAndFinish();
    return zip;
  } catch (error) {
    await finish();
    throw error;
  }
}

async function addEntry(
  zip: ZipWriter,
  name: string,
  content: AsyncIterable<Buffer>,
  compress: boolean,
): Promise<BackupEntry> {
  const bytes = measured(content);
  await zip.add(name, bytes.content(), { compress });
  return { name, size: bytes.size(), sha256: bytes.sha256("hex") };
}

/** Lists the tables of a copied database with their sizes, and the keys of all stored files. */
async function contentsOf(copy: string) {
  const store = new Store(copy);
  try {
    const all = store.tables();
    const tables = all.map((table) => ({ name: table.name, documents: countOf(store, table) }));
    const keys: string[] = [];
    const byId = all
      .find(({ name }) => name === fileTable.name)
      ?.indexes.find(({ name }) => name === "by_id");
    let lower: Key | null = emptyKey;
    while (byId !== undefined && lower !== null) {
      const rows = store.scan(byId, lower, null, "asc", page);
      keys.push(...rows.map(({ json }) => (JSON.parse(json) as DocumentJson)["key"] as string));
      const last = rows.at(-1);
      lower = last === undefined ? null : successor(last.key);
      await setImmediate();
    }
    return { tables, keys };
  } finally {
    store.close();
  }
}

function countOf(store: Store, { indexes }: TableEntry): number {
  const byId = indexes.find(({ name }) => name === "by_id");
  return byId === undefined ? 0 : store.countEntries(byId);
}
