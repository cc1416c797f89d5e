import { limits } from "../checks/limits.ts";
import { ReadLimitError, SyscallError } from "./syscall-error.ts";

/** Convex's advice for functions that read too much. */
export const readAdvice =
  "Consider using smaller limits in your queries, paginating your queries, or using indexed queries with a " +
  "selective index range expressions.";

/** Queries of ranges that were read before are not free, so their number is bounded, too. The bound is ours. */
const mostQueries = 4 * limits.databaseQueries;

/** Amounts of a transaction, by their names in Convex's API. */
type Amounts = {
  readonly bytesRead: number;
  readonly bytesWritten: number;
  readonly databaseQueries: number;
  readonly documentsRead: number;
  readonly documentsWritten: number;
  readonly functionsScheduled: number;
  readonly scheduledFunctionArgsBytes: number;
};

const most: Amounts = {
  bytesRead: limits.bytesRead,
  bytesWritten: limits.bytesWritten,
  databaseQueries: limits.databaseQueries,
  documentsRead: limits.documentsRead,
  documentsWritten: limits.documentsWritten,
  functionsScheduled: limits.functionsScheduled,
  scheduledFunctionArgsBytes: limits.scheduledArgsBytes,
};

/** How much more of each amount a nested call may use. */
export type Budget = Readonly<Partial<Amounts>>;
export const amountNames = Object.keys(most) as readonly (keyof Amounts)[];

/** The document with the most of something. */
type Most = { readonly id: string; readonly amount: number };
const none: Most = { id: "", amount: 0 };

type Written = Pick<TransactionUsage, "documentsWritten" | "bytesWritten" | "largest" | "deepest">;

/** Counts a transaction's reads and writes. Throws when they exceed Convex's limits. */
export class TransactionUsage {
  documentsRead = 0;
  bytesRead = 0;
  documentsWritten = 0;
  bytesWritten = 0;
  databaseQueries = 0;
  functionsScheduled = 0;
  scheduledFunctionArgsBytes = 0;
  /** The written document with the most bytes, and the one with the most levels. */
  largest = none;
  deepest = none;

  #limits = most;
  /** Queries that have begun to read. */
  #begun = 0;
  /** Queries beyond this number count the distinct ranges that were read. */
  #countBeyond: number = limits.databaseQueries;

  query(): void {
    this.databaseQueries += 1;
    if (this.databaseQueries > mostQueries) throw this.#tooManyReads();
  }

  /**
   * Counts a query that reads its range now. Others may wait: their ranges are not known yet.
   * @param ranges counts the distinct ranges that were read before. Counting takes time.
   */
  range(ranges: () => number): void {
    this.#begun += 1;
    if (this.#begun <= this.#countBeyond) return;
    const left = this.#limits.databaseQueries - ranges();
    if (left <= 0) throw this.#tooManyReads();
    this.#countBeyond = this.#begun + left - 1;
  }

  #tooManyReads(): SyscallError {
    const limit = this.#limits.databaseQueries;
    return new SyscallError(`Too many reads in a single function execution (limit: ${limit}). ${readAdvice}`);
  }

  /**
   * Lowers the limits for a nested call to its budget. A budget cannot raise them.
   * @returns sets the limits back
   */
  lower(budget: Budget, ranges: () => number): () => void {
    const [before, countedBeyond] = [this.#limits, this.#countBeyond];
    const limit = (name: keyof Amounts): number => {
      const more = budget[name];
      if (more === undefined) return before[name];
      return Math.min(before[name], more + (name === "databaseQueries" ? ranges() : this[name]));
    };
    this.#limits = amountsOf(limit);
    if (budget.databaseQueries !== undefined) this.#countBeyond = this.#begun;
    return () => {
      this.#limits = before;
      this.#countBeyond = countedBeyond;
    };
  }

  read(bytes: number): void {
    this.documentsRead += 1;
    this.bytesRead += bytes;
    if (this.documentsRead > this.#limits.documentsRead) {
      throw new ReadLimitError(
        `Too many documents read in a single function execution (limit: ${this.#limits.documentsRead}). ${readAdvice}`,
      );
    }
    if (this.bytesRead > this.#limits.bytesRead) {
      throw new ReadLimitError(
        `Too many bytes read in a single function execution (limit: ${this.#limits.bytesRead} bytes). ${readAdvice}`,
      );
    }
  }

  write(bytes: number): void {
    this.documentsWritten += 1;
    this.bytesWritten += bytes;
    if (this.documentsWritten > this.#limits.documentsWritten) {
      throw new SyscallError(
        `Too many writes in a single function execution (limit: ${this.#limits.documentsWritten})`,
      );
    }
    if (this.bytesWritten > this.#limits.bytesWritten) {
      throw new SyscallError(
        `Too many bytes written in a single function execution (limit: ${this.#limits.bytesWritten} bytes)`,
      );
    }
  }

  /** Remembers the size of a document that was written. */
  wrote(id: string, bytes: number, levels: number): void {
    if (bytes > this.largest.amount) this.largest = { id, amount: bytes };
    if (levels > this.deepest.amount) this.deepest = { id, amount: levels };
  }

  /** The present counts of writes. */
  written(): Written {
    const { documentsWritten, bytesWritten, largest, deepest } = this;
    return { documentsWritten, bytesWritten, largest, deepest };
  }

  /**
   * Sets the counts of writes back, after a rollback. Functions that a nested mutation scheduled count on Convex even after it
   * was rolled back.
   */
  restore(counts: Written): void {
    Object.assign(this, counts);
  }

  schedule(bytes: number): void {
    this.functionsScheduled += 1;
    this.scheduledFunctionArgsBytes += bytes;
    if (this.functionsScheduled > this.#limits.functionsScheduled) {
      throw new SyscallError(
        `Too many functions scheduled by this mutation (limit: ${this.#limits.functionsScheduled})`,
      );
    }
    if (this.scheduledFunctionArgsBytes > this.#limits.scheduledFunctionArgsBytes) {
      throw new SyscallError(
        "Too large total size of the arguments of scheduled functions from this mutation " +
          `(limit: ${this.#limits.scheduledFunctionArgsBytes} bytes)`,
      );
    }
  }

  /**
   * Formats the counts for `ctx.meta.getTransactionMetrics()`. File counts are zero: only actions read and
   * write files.
   * @param ranges the number of distinct ranges that were read
   */
  metrics(ranges: number): { readonly [metric: string]: Metric } {
    const used = (name: keyof Amounts): number => (name === "databaseQueries" ? ranges : this[name]);
    const none = metric(0, 0);
    return {
      ...Object.fromEntries(amountNames.map((name) => [name, metric(used(name), this.#limits[name])])),
      filesWritten: none,
      fileWriteBytes: none,
      filesRead: none,
      fileReadBytes: none,
    };
  }
}

type Metric = { readonly used: number; readonly remaining: number };

function metric(used: number, limit: number): Metric {
  return { used, remaining: Math.max(0, limit - used) };
}

function amountsOf(amount: (name: keyof Amounts) => number): Amounts {
  return Object.fromEntries(amountNames.map((name) => [name, amount(name)])) as Amounts;
}
