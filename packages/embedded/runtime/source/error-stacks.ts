import type { StackMapper } from "./stack-trace.ts";

/** V8's call site. Its text is that of a line in a stack. */
type Site = NodeJS.CallSite & { toString(): string };
type FormatStack = (error: Error, sites: readonly Site[]) => string;

/**
 * Creates the `Error.prepareStackTrace` of a realm. Functions that read an error's stack see positions in the developer's
 * files, and no path of this machine. As on Convex, the stack does not begin with the error's name and message.
 */
export function stackFormatter(mapStack: StackMapper): FormatStack {
  return (_, sites) => mapStack(linesOf(sites, convexText)).join("\n");
}

/** The text of a call site in the form that Convex gives it: it names no class, but the property by which a method was called. */
function convexText(site: Site): string {
  const async = site.isAsync() ? "async " : "";
  if (site.isPromiseAll()) return `${async}Promise.all (index ${site.getPromiseIndex()})`;
  const [line, column] = [site.getLineNumber(), site.getColumnNumber()];
  const position = line === null || column === null ? "" : `:${line}:${column}`;
  return `${async}${nameOf(site)} (${site.getFileName() ?? "<anonymous>"}${position})`;
}

function nameOf(site: Site): string {
  const name = site.getFunctionName();
  if (site.isConstructor()) return `new ${name ?? "<anonymous>"}`;
  const [type, method] = [site.getTypeName(), site.getMethodName()];
  if (name === null) return `${type === null ? "" : `${type}.`}${method ?? "<anonymous>"}`;
  const owner = type !== null && name.startsWith(type) ? `${type}.` : "";
  return `${owner}${name}${method !== null && name.endsWith(method) ? ` [as ${method}]` : ""}`;
}

type FormatSites = (this: unknown, error: Error, sites: readonly Site[]) => unknown;

/** Begins the names of scripts that have a developer's code. */
export const scriptPrefix = "convex:";

/**
 * Lets the code of a realm assign an `Error.prepareStackTrace` of its own. It gets the call sites of the developer's code only:
 * others name files of this machine. Until then, and if what is assigned is no function, `format` is used.
 */
export function installStackFormatter(errorOfRealm: object, format: FormatStack): void {
  let current: FormatSites = format;
  const guarded = new WeakSet<object>();
  Object.defineProperty(errorOfRealm, "prepareStackTrace", {
    get: () => current,
    set(assigned: unknown) {
      if (typeof assigned !== "function") current = format;
      // Code that assigned another one for a while puts back what it has found.
      else if (assigned === format || guarded.has(assigned)) current = assigned as FormatSites;
      else {
        const own = assigned as FormatSites;
        current = (error, sites) => Reflect.apply(own, errorOfRealm, [error, ownSites(sites)]);
        guarded.add(current);
      }
    },
    enumerable: true,
    configurable: true,
  });
}

const { filter } = Array.prototype;

/** The realm's code may have replaced its own `filter`. */
function ownSites(sites: readonly Site[]): readonly Site[] {
  const isOwn = (site: Site): boolean => site.getFileName()?.startsWith(scriptPrefix) === true;
  return Reflect.apply(filter, sites, [isOwn]) as Site[];
}

/** Formats a stack as Node does. */
export function formatWholeStack(error: Error, sites: readonly Site[]): string {
  return sites.length === 0
    ? titleOf(error)
    : `${titleOf(error)}\n${linesOf(sites, (site) => site.toString())}`;
}

/** The list is one of the realm, whose code may have replaced the methods of lists. They would get call sites of the backend. */
function linesOf(sites: readonly Site[], textOf: (site: Site) => string): string {
  let lines = "";
  for (let at = 0; at < sites.length; at += 1)
    lines += `${at === 0 ? "" : "\n"}    at ${textOf(sites[at] as Site)}`;
  return lines;
}

/** Reading the message may run the developer's code. */
function titleOf(error: Error): string {
  try {
    return Error.prototype.toString.call(error);
  } catch {
    return "Error";
  }
}
