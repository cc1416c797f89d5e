import { limits } from "../checks/limits.ts";
import { ReadLimitError, SyscallError } from "./syscall-error.ts";

/** Convex's advice for functions that read too much. */
export const readAdvice =
  "Consider using smaller limits in your queries, paginating your queries, or using indexed queries with a " +
  "selective index range expressions.";

/** Queries of ranges that were read before are not free, so their number is bounded, too. The bound is ours. */
const mostQueries = 4 * limits.databaseQueries;
/** Distinct ranges are not counted more often than this, so a transaction may read so many more. */
const countEvery = 64;

/** The document with the most of something. */
type Most = { readonly id: string; readonly amount: number };
const none: Most = { id: "", amount: 0 };

type Written = Pick<
  TransactionUsage,
  "documentsWritten" | "bytesWritten" | "functionsScheduled" | "scheduledArgsBytes"
>;

/** Counts a transaction's reads and writes. Throws when they exceed Convex's limits. */
export class TransactionUsage {
  documentsRead = 0;
  bytesRead = 0;
  documentsWritten = 0;
  bytesWritten = 0;
  databaseQueries = 0;
  functionsScheduled = 0;
  scheduledArgsBytes = 0;
  /** The written document with the most bytes, and the one with the most levels. */
  largest = none;
  deepest = none;

  /** Queries beyond this number count the distinct ranges that were read. */
  #countBeyond: number = limits.databaseQueries;

  /** @param ranges counts the distinct ranges that were read before. Counting takes time. */
  query(ranges: () => number): void {
    this.databaseQueries += 1;
    if (this.databaseQueries <= this.#countBeyond) return;
    const free = limits.databaseQueries - ranges();
    if (free <= 0 || this.databaseQueries > mostQueries) {
      throw new SyscallError(
        `Too many reads in a single function execution (limit: ${limits.databaseQueries}). ${readAdvice}`,
      );
    }
    this.#countBeyond = this.databaseQueries + Math.max(free - 1, countEvery);
  }

  read(bytes: number): void {
    this.documentsRead += 1;
    this.bytesRead += bytes;
    if (this.documentsRead > limits.documentsRead) {
      throw new ReadLimitError(
        `Too many documents read in a single function execution (limit: ${limits.documentsRead}). ${readAdvice}`,
      );
    }
    if (this.bytesRead > limits.bytesRead) {
      throw new ReadLimitError(
        `Too many bytes read in a single function execution (limit: ${limits.bytesRead} bytes). ${readAdvice}`,
      );
    }
  }

  write(bytes: number): void {
    this.documentsWritten += 1;
    this.bytesWritten += bytes;
    if (this.documentsWritten > limits.documentsWritten) {
      throw new SyscallError(
        `Too many writes in a single function execution (limit: ${limits.documentsWritten})`,
      );
    }
    if (this.bytesWritten > limits.bytesWritten) {
      throw new SyscallError(
        `Too many bytes written in a single function execution (limit: ${limits.bytesWritten} bytes)`,
      );
    }
  }

  /** Remembers the size of a document that was written. */
  wrote(id: string, bytes: number, levels: number): void {
    if (bytes > this.largest.amount) this.largest = { id, amount: bytes };
    if (levels > this.deepest.amount) this.deepest = { id, amount: levels };
  }

  /** The present counts of writes and of scheduled functions. */
  written(): Written {
    const { documentsWritten, bytesWritten, functionsScheduled, scheduledArgsBytes } = this;
    return { documentsWritten, bytesWritten, functionsScheduled, scheduledArgsBytes };
  }

  /** Sets the counts of writes and of scheduled functions back, after a rollback. */
  restoreWritten(written: Written): void {
    Object.assign(this, written);
  }

  schedule(bytes: number): void {
    this.functionsScheduled += 1;
    this.scheduledArgsBytes += bytes;
    if (this.functionsScheduled > limits.functionsScheduled) {
      throw new SyscallError(
        `Too many functions scheduled by this mutation (limit: ${limits.functionsScheduled})`,
      );
    }
    if (this.scheduledArgsBytes > limits.scheduledArgsBytes) {
      throw new SyscallError(
        "Too large total size of the arguments of scheduled functions from this mutation " +
          `(limit: ${limits.scheduledArgsBytes} bytes)`,
      );
    }
  }

  /**
   * Formats the counts for `ctx.meta.getTransactionMetrics()`. File counts are zero: only actions read and
   * write files.
   */
  metrics(): { readonly [metric: string]: { readonly used: number; readonly remaining: number } } {
    const metric = (used: number, limit: number) => ({ used, remaining: Math.max(0, limit - used) });
    const none = metric(0, 0);
    return {
      bytesRead: metric(this.bytesRead, limits.bytesRead),
      bytesWritten: metric(this.bytesWritten, limits.bytesWritten),
      databaseQueries: metric(this.databaseQueries, limits.databaseQueries),
      documentsRead: metric(this.documentsRead, limits.documentsRead),
      documentsWritten: metric(this.documentsWritten, limits.documentsWritten),
      functionsScheduled: metric(this.functionsScheduled, limits.functionsScheduled),
      scheduledFunctionArgsBytes: metric(this.scheduledArgsBytes, limits.scheduledArgsBytes),
      filesWritten: none,
      fileWriteBytes: none,
      filesRead: none,
      fileReadBytes: none,
    };
  }
}
