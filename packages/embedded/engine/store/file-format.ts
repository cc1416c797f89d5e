import type { DatabaseSync } from "node:sqlite";

/** "GLNR". SQLite's tools and `file` identify the data file by this id. */
export const ourApplicationId = 0x47_4c_4e_52;

/** The documents of commits that are not in the other tables yet, oldest first. `json` is NULL for a deleted one. */
export const createLog = `
  CREATE TABLE log (
    number INTEGER PRIMARY KEY,
    ts INTEGER NOT NULL,
    id TEXT NOT NULL,
    table_number INTEGER,
    json TEXT
  );
`;

/** One step to format `to` from the one before. Runs in a transaction; must not commit. */
type Migration = { readonly to: number; readonly apply: (db: DatabaseSync) => void };

/** In ascending order. Never change a released step: files of every age go through it. */
const fileMigrations: readonly Migration[] = [
  // Format 1 had its version only in `meta`, and no application id. Writing those two is the whole migration.
  { to: 2, apply: () => undefined },
  { to: 3, apply: (db) => db.exec(createLog) },
];

/** The format that this program writes. Raise it with every change that an older program could not read. */
export const formatVersion = fileMigrations.at(-1)?.to ?? 1;

type FileFormat =
  | { readonly kind: "new" }
  | { readonly kind: "foreign" }
  | { readonly kind: "ours"; readonly version: number };

/** Reads which program and format wrote the file. Changes nothing. */
export function readFormat(db: DatabaseSync): FileFormat {
  const applicationId = pragma(db, "application_id");
  const tables = db
    .prepare("SELECT name FROM sqlite_schema WHERE type = 'table'")
    .all()
    .map((row) => row["name"]);
  if (tables.length === 0 && applicationId === 0) return { kind: "new" };
  if (applicationId === ourApplicationId) return { kind: "ours", version: pragma(db, "user_version") };
  const version = applicationId === 0 && tables.includes("meta") ? formatInMeta(db) : null;
  return version === null ? { kind: "foreign" } : { kind: "ours", version };
}

/** Migrates a file from `version` to the present format, in the open transaction. */
export function applyMigrations(db: DatabaseSync, version: number, migrations = fileMigrations): void {
  for (const { to, apply } of migrations) if (to > version) apply(db);
  writeFormat(db, migrations.at(-1)?.to ?? version);
}

/**
 * Also writes the version to `meta`: programs older than the application id look there, and must refuse newer
 * files.
 */
export function writeFormat(db: DatabaseSync, version: number): void {
  db.exec(`PRAGMA application_id = ${String(ourApplicationId)}; PRAGMA user_version = ${String(version)}`);
  db.prepare(
    "INSERT INTO meta VALUES ('format', ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value",
  ).run(version);
}

function pragma(db: DatabaseSync, name: "application_id" | "user_version"): number {
  return db.prepare(`PRAGMA ${name}`).get()?.[name] as number;
}

function formatInMeta(db: DatabaseSync): number | null {
  try {
    const value = db.prepare("SELECT value FROM meta WHERE name = 'format'").get()?.["value"];
    return typeof value === "number" ? value : null;
  } catch {
    // Another program's table that happens to be called meta.
    return null;
  }
}
