import type { StackMapper } from "./stack-trace.ts";

/** V8's call site. Its text is that of a line in a stack. */
type Site = { toString(): string };
type FormatStack = (error: Error, sites: readonly Site[]) => string;

/**
 * Creates the `Error.prepareStackTrace` of a realm. Functions that read an error's stack see positions in the developer's
 * files, as on Convex, and no path of this machine.
 */
export function stackFormatter(mapStack: StackMapper): FormatStack {
  return (error, sites) => [titleOf(error), ...mapStack(linesOf(sites))].join("\n");
}

/** Formats a stack as Node does. */
export function formatWholeStack(error: Error, sites: readonly Site[]): string {
  return sites.length === 0 ? titleOf(error) : `${titleOf(error)}\n${linesOf(sites)}`;
}

function linesOf(sites: readonly Site[]): string {
  return sites.map((site) => `    at ${site.toString()}`).join("\n");
}

/** Reading the message may run the developer's code. */
function titleOf(error: Error): string {
  try {
    return Error.prototype.toString.call(error);
  } catch {
    return "Error";
  }
}
