import type { DocumentJson, Scan, ScanEntry } from "../../engine/model/types.ts";
import type { Key } from "../../values/keys/key.ts";
import { documentBytes } from "../checks/document-bytes.ts";
import type { TransactionUsage } from "./transaction-usage.ts";

/** A step of a query after its scan. */
export type QueryOperator =
  | { readonly kind: "filter"; readonly accepts: (document: DocumentJson) => boolean }
  | { readonly kind: "limit"; readonly count: number };

/** A scan. Some take time before their first document, such as searches. */
type Source = Scan & { readonly prepare?: () => Promise<void> };

export type StreamBudget = { readonly rows: number; readonly bytes: number };

export const unlimited: StreamBudget = { rows: Infinity, bytes: Infinity };

/** Result of one pull. `stopped` means that the budget is used up, though more may follow. */
type Pulled =
  | { readonly kind: "document"; readonly entry: ScanEntry }
  | { readonly kind: "end" }
  | { readonly kind: "stopped" };

/** A running query. It pulls from its scan only the documents that its operators need, so it reads no others. */
export class QueryStream {
  readonly #scan: Source;
  readonly #operators: readonly QueryOperator[];
  readonly #usage: TransactionUsage;
  readonly #budget: StreamBudget;
  /** Number of documents that have reached each operator. */
  readonly #reached: number[];
  readonly #keys: Key[] = [];
  #bytes = 0;
  #hasBegun = false;

  constructor(
    scan: Source,
    operators: readonly QueryOperator[],
    usage: TransactionUsage,
    budget: StreamBudget = unlimited,
  ) {
    this.#scan = scan;
    this.#operators = operators;
    this.#usage = usage;
    this.#budget = budget;
    this.#reached = operators.map(() => 0);
  }

  /** Whether a document was asked for. */
  get hasBegun(): boolean {
    return this.#hasBegun;
  }

  /** The keys of all rows that were read, in the order of reading. */
  get keysRead(): readonly Key[] {
    return this.#keys;
  }

  /** Whether it has read more rows or bytes than these. */
  hasReadMoreThan({ rows, bytes }: StreamBudget): boolean {
    return this.#keys.length > rows || this.#bytes > bytes;
  }

  /** Must have resolved before the first pull. Null: there is nothing to wait for. */
  prepare(): Promise<void> | null {
    return this.#scan.prepare?.() ?? null;
  }

  pull(): Pulled {
    this.#hasBegun = true;
    for (;;) {
      if (this.#isFull()) return { kind: "end" };
      if (this.#keys.length >= this.#budget.rows || this.#bytes >= this.#budget.bytes) {
        return { kind: "stopped" };
      }
      const entry = this.#scan.next();
      if (entry === null) return { kind: "end" };
      const bytes = documentBytes(entry.document);
      this.#usage.read(bytes);
      this.#keys.push(entry.key);
      this.#bytes += bytes;
      if (this.#passes(entry.document)) return { kind: "document", entry };
    }
  }

  #isFull(): boolean {
    return this.#operators.some(
      (operator, index) => operator.kind === "limit" && (this.#reached[index] as number) >= operator.count,
    );
  }

  #passes(document: DocumentJson): boolean {
    return this.#operators.every((operator, index) => {
      if (operator.kind === "filter") return operator.accepts(document);
      const reached = this.#reached[index] as number;
      this.#reached[index] = reached + 1;
      return reached < operator.count;
    });
  }
}
