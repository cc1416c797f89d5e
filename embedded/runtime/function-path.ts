/** A function's place in the bundle: the module without its extension, and the export. */
export type FunctionPath = { readonly module: string; readonly name: string };

const MAX_LENGTH = 1024;
const HANDLE_PREFIX = "function://;";

/** Reads "folder/module:name", "module.js:name" or "module" (its default export). Null when it is none. */
export function parseFunctionPath(text: string): FunctionPath | null {
  if (text.length === 0 || text.length > MAX_LENGTH) return null;
  const colon = text.lastIndexOf(":");
  const rawModule = colon === -1 ? text : text.slice(0, colon);
  const name = colon === -1 ? "default" : text.slice(colon + 1);
  const module = rawModule.replace(/^\//, "").replace(/\.js$/, "");
  return module === "" || name === "" ? null : { module, name };
}

/** As the system tables and `npx convex function-spec` write it: "module.js:name". */
export function identifierOf({ module, name }: FunctionPath): string {
  return `${module}.js:${name}`;
}

/** As errors write it: "module:name", without a default export's name. */
export function shortPathOf({ module, name }: FunctionPath): string {
  return name === "default" ? module : `${module}:${name}`;
}

/** A handle that outlives the call it was made in and may be stored in a document. */
export function functionHandleOf(path: FunctionPath): string {
  return HANDLE_PREFIX + identifierOf(path);
}

/** The path in a handle, or null when the text is no handle. */
export function parseFunctionHandle(text: string): FunctionPath | null {
  return text.startsWith(HANDLE_PREFIX) ? parseFunctionPath(text.slice(HANDLE_PREFIX.length)) : null;
}
