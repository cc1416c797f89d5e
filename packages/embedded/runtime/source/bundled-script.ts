import { posix } from "node:path";

/*
 * What bundling gives to running. The backend's process runs the script, and loads neither esbuild nor acorn for that.
 */

/**
 * All modules of a folder in one script. Its value is an object of functions, one for each file of esbuild's output, which
 * is either a module or code that several modules share. A module can thus be evaluated with only what it imports.
 */
export type BundledScript = {
  readonly code: string;
  /** The source map as JSON; its sources are relative to the functions folder's parent. */
  readonly sourceMap: string;
  readonly modules: readonly string[];
};

/** The exports of a module, by name. */
export type ModuleNamespace = { readonly [name: string]: unknown };

/** A script's ticks decrement `fuel`. Below zero they call `refuel`, which refills `fuel` or throws. */
export type Ticks = { readonly fuel: Int32Array; readonly refuel: () => void };

/** Evaluates a file of the script. It finds other files by `require`, and sets `module.exports`. */
export type FileBody = (
  require: (file: string) => ModuleNamespace,
  module: { exports: ModuleNamespace },
  ticks: Ticks,
) => void;

/** The name of the variable from which the code takes its `Ticks`. */
export const ticksName = "__convexTicks";

/** The name of a file in the script, by its path: "./folder/messages.js". */
export function fileOf(path: string): string {
  return `./${path}`;
}

/** The file that another one imports as "./messages.js" or "../_deps/2KQ7X.js". */
export function importedFile(importer: string, specifier: string): string {
  return fileOf(posix.join(posix.dirname(importer), specifier));
}

/** Whether the name of a function is that of a file. Such a function runs the top level of modules. */
export function isFileName(name: string): boolean {
  return name.startsWith("./");
}
