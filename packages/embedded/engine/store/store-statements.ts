import type { DatabaseSync, StatementSync } from "node:sqlite";

const scan = `SELECT e.key AS key, d.json AS json FROM index_entries e JOIN documents d ON d.id = e.doc_id
  WHERE e.index_id = ? AND e.key >= ? AND e.key < ? ORDER BY e.key`;

const scanIds = `SELECT key, doc_id AS id FROM index_entries
  WHERE index_id = ? AND key >= ? AND key < ? ORDER BY key`;

/** The statements of every read and commit. Each must find its rows by a key. */
export const statements = {
  lastTimestamp: "SELECT value FROM meta WHERE name = 'last_ts'",
  putLogged: "INSERT INTO log (ts, id, table_number, json) VALUES (?, ?, ?, ?)",
  setLastTimestamp: "UPDATE meta SET value = ? WHERE name = 'last_ts'",
  document: "SELECT table_number AS tableNumber, json FROM documents WHERE id = ?",
  putDocument: "INSERT INTO documents VALUES (?, ?, ?) ON CONFLICT (id) DO UPDATE SET json = excluded.json",
  deleteDocument: "DELETE FROM documents WHERE id = ?",
  putEntry: "INSERT INTO index_entries VALUES (?, ?, ?)",
  deleteEntry: "DELETE FROM index_entries WHERE index_id = ? AND key = ?",
  hasEntry: "SELECT 1 FROM index_entries WHERE index_id = ? AND key = ?",
  countEntries: "SELECT count(*) AS n FROM index_entries WHERE index_id = ? AND key >= ? AND key < ?",
  scanUp: `${scan} ASC LIMIT ?`,
  scanDown: `${scan} DESC LIMIT ?`,
  scanIdsUp: `${scanIds} ASC LIMIT ?`,
  scanIdsDown: `${scanIds} DESC LIMIT ?`,
} as const;

export type Statements = { readonly [Name in keyof typeof statements]: StatementSync };

export function prepareStatements(db: DatabaseSync): Statements {
  const prepared = Object.fromEntries(
    Object.entries(statements).map(([name, sql]) => [name, db.prepare(sql)]),
  ) as Statements;
  prepared.lastTimestamp.setReadBigInts(true);
  return prepared;
}
