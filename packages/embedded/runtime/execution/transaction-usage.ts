import { LIMITS } from "../checks/limits.ts";
import { SyscallError } from "./syscall-error.ts";

const READ_ADVICE =
  "Consider using smaller limits in your queries, paginating your queries, or using indexed queries with a " +
  "selective index range expressions.";

/** Counts what a transaction reads and writes, and refuses what goes beyond Convex's limits. */
export class TransactionUsage {
  documentsRead = 0;
  bytesRead = 0;
  documentsWritten = 0;
  bytesWritten = 0;
  databaseQueries = 0;
  functionsScheduled = 0;
  scheduledArgsBytes = 0;

  query(): void {
    this.databaseQueries += 1;
    if (this.databaseQueries <= LIMITS.databaseQueries) return;
    throw new SyscallError(
      `Too many reads in a single function execution (limit: ${LIMITS.databaseQueries}). ${READ_ADVICE}`,
    );
  }

  read(bytes: number): void {
    this.documentsRead += 1;
    this.bytesRead += bytes;
    if (this.documentsRead > LIMITS.documentsRead) {
      throw new SyscallError(
        `Too many documents read in a single function execution (limit: ${LIMITS.documentsRead}). ${READ_ADVICE}`,
      );
    }
    if (this.bytesRead > LIMITS.bytesRead) {
      throw new SyscallError(
        `Too many bytes read in a single function execution (limit: ${LIMITS.bytesRead} bytes). ${READ_ADVICE}`,
      );
    }
  }

  write(bytes: number): void {
    this.documentsWritten += 1;
    this.bytesWritten += bytes;
    if (this.documentsWritten > LIMITS.documentsWritten) {
      throw new SyscallError(
        `Too many writes in a single function execution (limit: ${LIMITS.documentsWritten})`,
      );
    }
    if (this.bytesWritten > LIMITS.bytesWritten) {
      throw new SyscallError(
        `Too many bytes written in a single function execution (limit: ${LIMITS.bytesWritten} bytes)`,
      );
    }
  }

  schedule(bytes: number): void {
    this.functionsScheduled += 1;
    this.scheduledArgsBytes += bytes;
    if (this.functionsScheduled > LIMITS.functionsScheduled) {
      throw new SyscallError(
        `Too many functions scheduled by this mutation (limit: ${LIMITS.functionsScheduled})`,
      );
    }
    if (this.scheduledArgsBytes > LIMITS.scheduledArgsBytes) {
      throw new SyscallError(
        "Too large total size of the arguments of scheduled functions from this mutation " +
          `(limit: ${LIMITS.scheduledArgsBytes} bytes)`,
      );
    }
  }

  /** As `ctx.meta.getTransactionMetrics()` reports it. Only actions read and write files. */
  metrics(): { readonly [metric: string]: { readonly used: number; readonly remaining: number } } {
    const metric = (used: number, limit: number) => ({ used, remaining: Math.max(0, limit - used) });
    const none = metric(0, 0);
    return {
      bytesRead: metric(this.bytesRead, LIMITS.bytesRead),
      bytesWritten: metric(this.bytesWritten, LIMITS.bytesWritten),
      databaseQueries: metric(this.databaseQueries, LIMITS.databaseQueries),
      documentsRead: metric(this.documentsRead, LIMITS.documentsRead),
      documentsWritten: metric(this.documentsWritten, LIMITS.documentsWritten),
      functionsScheduled: metric(this.functionsScheduled, LIMITS.functionsScheduled),
      scheduledFunctionArgsBytes: metric(this.scheduledArgsBytes, LIMITS.scheduledArgsBytes),
      filesWritten: none,
      fileWriteBytes: none,
      filesRead: none,
      fileReadBytes: none,
    };
  }
}
