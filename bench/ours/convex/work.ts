// The functions that workers call.
export * from "@gleaner/queue/work";
