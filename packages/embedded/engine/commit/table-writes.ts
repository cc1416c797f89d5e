import type { PendingDocument } from "../transaction/own-writes.ts";
import type { StoreWrite } from "./prepare-commit.ts";

/** What commits have done to one table since the process started. */
export type TableWrites = {
  readonly inserted: number;
  /** Patched or replaced: a document is written whole either way. */
  readonly replaced: number;
  readonly deleted: number;
  /** Of the documents as they were stored, each time that they were: UTF-8, in Convex's JSON encoding. */
  readonly bytes: number;
};

type Counts = { -readonly [Name in keyof TableWrites]: TableWrites[Name] };

/** Counts documents written, by table. A document that a transaction writes twice is written once. */
export class WriteTally {
  readonly #tables = new Map<string, Counts>();

  count(pending: ReadonlyMap<string, PendingDocument>, writes: readonly StoreWrite[]): void {
    for (const { table, base, current } of pending.values()) {
      if (base === null && current === null) continue;
      const counts = this.#of(table.name);
      if (base === null) counts.inserted += 1;
      else if (current === null) counts.deleted += 1;
      else counts.replaced += 1;
    }
    for (const write of writes) {
      if (write.kind === "put_document") this.#of(write.table.name).bytes += Buffer.byteLength(write.json);
    }
  }

  /** By the engine's names of tables. */
  snapshot(): { readonly [table: string]: TableWrites } {
    return Object.fromEntries([...this.#tables].map(([table, counts]) => [table, { ...counts }]));
  }

  #of(table: string): Counts {
    let counts = this.#tables.get(table);
    if (counts === undefined) {
      counts = { inserted: 0, replaced: 0, deleted: 0, bytes: 0 };
      this.#tables.set(table, counts);
    }
    return counts;
  }
}
