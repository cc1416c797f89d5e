import { DatabaseSync } from "node:sqlite";
import * as z from "zod";

/** Tables with rows of a job that nothing deletes. */
const keptTables = ["orders", "ledgerEntries"] as const;

const row = z.object({ name: z.string(), documents: z.number(), bytes: z.number() });

export type Kept = {
  readonly [table in (typeof keptTables)[number]]: { readonly documents: number; readonly bytes: number };
};

/** The documents that are kept for good in a stopped backend's file, and their characters as JSON. */
export function keptIn(dataFile: string): Kept {
  const db = new DatabaseSync(dataFile, { readOnly: true });
  try {
    const rows = db
      .prepare(
        `SELECT t.name, COUNT(*) AS documents, SUM(LENGTH(d.json)) AS bytes
        FROM documents d JOIN tables t ON t.number = d.table_number
        WHERE t.name IN (${keptTables.map(() => "?").join(", ")}) GROUP BY t.name`,
      )
      .all(...keptTables)
      .map((each) => row.parse(each));
    const of = (table: string) => {
      const { documents = 0, bytes = 0 } = rows.find(({ name }) => name === table) ?? {};
      return { documents, bytes };
    };
    return { orders: of("orders"), ledgerEntries: of("ledgerEntries") };
  } finally {
    db.close();
  }
}
