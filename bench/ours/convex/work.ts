// No module keeps state between runs, so a run may use the modules of an earlier one.
export const experimental_reuseContext = true;

// The functions that workers call.
export * from "@gleaner/queue/work";
