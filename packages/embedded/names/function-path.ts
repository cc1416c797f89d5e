import { appComponent, type ComponentPath } from "./table-name.ts";

/** A function's path: its component, its module without the extension, and its export. */
export type FunctionPath = {
  readonly component: ComponentPath;
  readonly module: string;
  readonly name: string;
};

const maxLength = 1024;
const handlePrefix = "function://";

/**
 * Parses "folder/module:name", "module.js:name" or "module" (its default export), in a component, by default the
 * app. Null for anything else.
 */
export function parseFunctionPath(
  text: string,
  component: ComponentPath = appComponent,
): FunctionPath | null {
  if (text.length === 0 || text.length > maxLength) return null;
  const colon = text.lastIndexOf(":");
  const rawModule = colon === -1 ? text : text.slice(0, colon);
  const name = colon === -1 ? "default" : text.slice(colon + 1);
  const module = rawModule.replace(/^\//, "").replace(/\.js$/, "");
  return module === "" || name === "" ? null : { component, module, name };
}

const allowedPart = /^[A-Za-z0-9_.]+$/;

/** Tells in Convex's words why a module cannot have this path; null if it can. */
export function modulePathProblem(path: string): string | null {
  const bad = path.split("/").find((part) => !allowedPart.test(part));
  if (bad === undefined) return null;
  return `Path component ${bad} can only contain alphanumeric characters, underscores, or periods.`;
}

/** The form of `npx convex function-spec`: "module.js:name", without the component. */
export function udfPathOf({ module, name }: Pick<FunctionPath, "module" | "name">): string {
  return `${module}.js:${name}`;
}

/** Unique in the deployment: "module.js:name", or "pool/module.js:name" in the component "pool". */
export function identifierOf(path: FunctionPath): string {
  return path.component === appComponent ? udfPathOf(path) : `${path.component}/${udfPathOf(path)}`;
}

/** The form used in errors: "module:name", or "module" for a default export. */
export function shortPathOf({ module, name }: Pick<FunctionPath, "module" | "name">): string {
  return name === "default" ? module : `${module}:${name}`;
}

/** A handle that outlives the current call and may be stored in a document. */
export function functionHandleOf(path: FunctionPath): string {
  return `${handlePrefix}${path.component};${udfPathOf(path)}`;
}

/** The path in a handle, or null when the text is not a handle. */
export function parseFunctionHandle(text: string): FunctionPath | null {
  if (!text.startsWith(handlePrefix)) return null;
  const [component, path] = text.slice(handlePrefix.length).split(";", 2) as [string, string | undefined];
  return path === undefined ? null : parseFunctionPath(path, component);
}
