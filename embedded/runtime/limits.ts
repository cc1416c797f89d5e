const MIB = 1024 * 1024;

/** What one function execution, one value and one log may take: Convex's documented limits. */
export const LIMITS = {
  documentsRead: 32_000,
  bytesRead: 16 * MIB,
  documentsWritten: 16_000,
  bytesWritten: 16 * MIB,
  databaseQueries: 4_096,
  functionsScheduled: 1_000,
  scheduledArgsBytes: 16 * MIB,
  documentBytes: MIB,
  argsBytes: 16 * MIB,
  returnBytes: 16 * MIB,
  valueNesting: 64,
  arrayLength: 8_192,
  objectFields: 1_024,
  fieldNameLength: 1_024,
  logLines: 256,
  logLineLength: 32_768,
  nestedCalls: 64,
  /** Of a query or a mutation, without what its syscalls take. */
  userTimeMs: 1_000,
  /** Of an action, from its start to its end. */
  actionTimeMs: 30 * 60_000,
  /** Of an action that lets nothing else run. Ours: Convex's actions block nobody but themselves. */
  unbrokenMs: 30_000,
} as const;
