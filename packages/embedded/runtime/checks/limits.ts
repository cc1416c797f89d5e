const mib = 1024 * 1024;

/**
 * What one function execution, one value, one schema and one log may take: Convex's documented limits, or those of
 * its source where it is laxer than its documentation. Not here: the memory of an execution (64 MiB there), what one
 * scheduled function's arguments may take (4 MiB, of which Convex only warns), and what a plan or a deployment class
 * limits.
 */
export const limits = {
  documentsRead: 32_000,
  bytesRead: 16 * mib,
  documentsWritten: 16_000,
  bytesWritten: 16 * mib,
  databaseQueries: 4_096,
  functionsScheduled: 1_000,
  scheduledArgsBytes: 16 * mib,
  documentBytes: mib,
  argsBytes: 16 * mib,
  returnBytes: 16 * mib,
  /** Objects and arrays inside of each other, in an argument or a returned value. */
  valueNesting: 64,
  documentNesting: 16,
  arrayLength: 8_192,
  objectFields: 1_024,
  fieldNameLength: 1_024,
  /** Names of tables and indexes, and the parts of an index's field paths. */
  identifierLength: 64,
  tables: 10_000,
  /** The documentation says 32. */
  indexesPerTable: 64,
  fieldsPerIndex: 16,
  /** The last of them says that there were more. */
  logLines: 256,
  /** In UTF-8. The documentation says 4 KiB. */
  logLineBytes: 32_768,
  /** Of a failure's message, and of its frames. Ours. */
  errorBytes: 32_768,
  /** Calls of queries and mutations inside of each other. */
  nestedCalls: 8,
  /** What one execution waits for at a time: syscalls and fetches. */
  concurrentOperations: 1_000,
  /** Of a query or a mutation, without what its syscalls take. */
  userTimeMs: 1_000,
  /** Of an action, from its start to its end. */
  actionTimeMs: 30 * 60_000,
  /** Of an action that lets nothing else run. Ours: Convex's actions block nobody but themselves. */
  unbrokenMs: 30_000,
} as const;
