import { DatabaseSync } from "node:sqlite";
import * as z from "zod";

const row = z.object({ name: z.string(), documents: z.number(), bytes: z.number() });

type Table = { readonly documents: number; readonly bytes: number };

/** Nothing deletes them. They move into archives, which keep the same fields: docs/retention.md. A seal is for all receipts of a minute. */
type KeptTable = "orders" | "ledgerEntries" | "receipts" | "receiptSeals";

/** The documents of a backend, and their characters as JSON. */
export type Kept = {
  readonly forGood: Readonly<Record<KeptTable, Table>>;
  /** The queue's tables that have a row of most jobs. These are deleted within 90 days. */
  readonly forDays: { readonly [table: string]: Table };
};

/** The documents of jobs in a stopped backend's file. */
export function keptIn(dataFile: string): Kept {
  const db = new DatabaseSync(dataFile, { readOnly: true });
  try {
    const rows = db
      .prepare(
        `SELECT t.name, COUNT(*) AS documents, SUM(LENGTH(d.json)) AS bytes
        FROM documents d JOIN tables t ON t.number = d.table_number GROUP BY t.name ORDER BY t.name`,
      )
      .all()
      .map((each) => row.parse(each));
    const of = (table: string): Table => {
      const { documents = 0, bytes = 0 } = rows.find(({ name }) => name === table) ?? {};
      return { documents, bytes };
    };
    const forGood = {
      orders: of("orders"),
      ledgerEntries: of("ledgerEntries"),
      receipts: of("receipts"),
      receiptSeals: of("receiptSeals"),
    };
    const ofMostJobs = rows.filter(
      ({ name, documents }) => name.startsWith("queue/") && 2 * documents > forGood.orders.documents,
    );
    return { forGood, forDays: Object.fromEntries(ofMostJobs.map(({ name, ...table }) => [name, table])) };
  } finally {
    db.close();
  }
}

/** Of all tables together, for each job. */
export function bytesPerJob(
  { forGood: { orders } }: Kept,
  tables: { readonly [table: string]: Table },
): number {
  return Object.values(tables).reduce((sum, { bytes }) => sum + bytes, 0) / orders.documents;
}
