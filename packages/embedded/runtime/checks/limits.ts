const mib = 1024 * 1024;

/**
 * Limits of an execution, a value, a schema and a log. They are Convex's documented limits, or those of its
 * source code if that allows more. Not included: the memory of an execution (64 MiB in Convex), the arguments
 * of one scheduled function (4 MiB, where Convex only warns), and the limits of plans and deployment classes.
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
  /** Arguments of an action in the Node.js runtime. */
  nodeArgsBytes: 5 * mib,
  returnBytes: 16 * mib,
  /** Nesting of objects and arrays in an argument or a returned value. */
  valueNesting: 64,
  documentNesting: 16,
  arrayLength: 8_192,
  objectFields: 1_024,
  fieldNameLength: 1_024,
  /** Length of names of tables and indexes, and of the parts of an index's field paths. */
  identifierLength: 64,
  tables: 10_000,
  /** Of all kinds. The documentation says 32, and 4 full-text and 4 vector indexes. */
  indexesPerTable: 64,
  fieldsPerIndex: 16,
  /** Of a search index or a vector index. */
  filterFields: 16,
  /** Further words of a search's text are ignored. */
  searchTerms: 16,
  searchFilters: 8,
  fewestDimensions: 2,
  mostDimensions: 4_096,
  vectorResults: 256,
  /** Comparisons in the filter of a vector search. */
  vectorFilters: 64,
  /** The last line says that lines are missing. */
  logLines: 256,
  /** Size in UTF-8. The documentation says 4 KiB. */
  logLineBytes: 32_768,
  /** Size of a failure's message, and of its frames. */
  errorBytes: 65_536,
  /** Depth of nested calls of queries and mutations. */
  nestedCalls: 8,
  /**
   * Actions that were called by actions and run at the same time. Each has a world of its own, so an endless recursion would
   * fill the memory. This limit is ours: on Convex it depends on the plan.
   */
  calledActions: 1_000,
  /** Syscalls and fetches that one execution may await at a time. */
  concurrentOperations: 1_000,
  /** The body of a request to an HTTP action. This limit is ours. */
  httpRequestBytes: 20 * mib,
  /** The body of an HTTP action's response, on Convex since October 2026 (82e5c50). Its documentation still says 20 MiB. */
  httpResponseBytes: 100 * mib,
  /** Running time of a query or a mutation, without its syscalls. */
  userTimeMs: 1_000,
  /** Time of an action, from its start to its end. */
  actionTimeMs: 30 * 60_000,
  /** The same for an action in the Node.js runtime. */
  nodeActionTimeMs: 10 * 60_000,
  /** Heap of a process that runs such actions. */
  nodeMemoryMib: 512,
  /** The longest wait of an action for a change. Only this backend has such waits. */
  waitForChangeMs: 60_000,
  /**
   * Time for which an action may keep everything else from running. This limit is ours: Convex's actions
   * block only themselves.
   */
  unbrokenMs: 30_000,
} as const;
