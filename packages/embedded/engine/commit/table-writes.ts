import type { TableWrites } from "../model/types.ts";
import type { StoreWrite } from "../store/store-write.ts";
import type { PendingDocument } from "../transaction/own-writes.ts";

type Counts = { -readonly [Name in keyof TableWrites]: TableWrites[Name] };

/** Counts documents written, by table. Two writes of a document in one transaction count once. */
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

  /** Keyed by the engine's table names. */
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
