import { posix } from "node:path";
import type { PackedMap } from "./packed-map.ts";

/*
 * The types that bundling and running share. The backend's process runs the script, and loads neither esbuild nor acorn for that.
 */

/**
 * All modules of a folder in one script. Its value is an object of functions, one for each file of esbuild's output, which
 * is either a module or code that several modules share. A module can thus be evaluated with only what it imports.
 */
export type BundledScript = {
  readonly code: string;
  /** Its sources are relative to the functions folder's parent. */
  readonly sourceMap: PackedMap;
  readonly modules: readonly string[];
};

/** The "use node" modules of the app, for the processes that run their actions. */
export type NodeBundle = {
  /** ES modules: one for each of the app's modules, and the code that several of them share. */
  readonly files: readonly { readonly name: string; readonly code: string; readonly sourceMap: PackedMap }[];
  readonly modules: readonly string[];
  /** The `node_modules` folder with the packages that are not part of the files; null if there are no such packages. */
  readonly packages: string | null;
};

/** The exports of a module, by name. */
export type ModuleNamespace = { readonly [name: string]: unknown };

/**
 * A script calls these functions before a single operation that may need much. Each returns the value that says
 * how much, or throws; only the last two do the operation themselves.
 */
export type Reserve = {
  readonly array: (length: unknown) => unknown;
  readonly buffer: (length: unknown, bytesOfEach: number) => unknown;
  /** Before all elements of a list are read. */
  readonly spread: (list: unknown) => unknown;
  readonly keys: (list: unknown) => unknown;
  /** Before all names in a value are read: of a text, these are its indexes. */
  readonly fields: (value: unknown) => unknown;
  /** Before a big integer is shifted by so many bits. */
  readonly bits: (count: unknown) => unknown;
  /** Before a big integer is multiplied by itself. */
  readonly factor: (value: bigint) => bigint;
  /** Before a power of a big integer is computed. Returns the exponent. */
  readonly exponent: (base: unknown, exponent: bigint) => bigint;
  /** Before a regular expression is used. */
  readonly pattern: (value: unknown) => unknown;
  /** Call the method of this name of a regular expression, or of another object, with a long text. */
  readonly test: (pattern: unknown, text: string) => unknown;
  readonly exec: (pattern: unknown, text: string) => unknown;
};

/**
 * A script's ticks decrement the first element of `fuel`. Below zero they call `refuel`, which refills it or throws. The second
 * element counts the promises that code has made.
 */
export type Ticks = { readonly fuel: Int32Array; readonly refuel: () => void; readonly reserve: Reserve };

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

/** The file that has the module at a position in `NodeBundle.modules`. */
export function nodeFileOf(position: number): string {
  return `module-${position}.mjs`;
}

/** Begins the names of a node bundle's files in stack traces. */
export const nodeScriptPrefix = "convex:node/";

/** The source maps of a bundle's files, by their names in stack traces. */
export function nodeSourceMaps({ files }: NodeBundle): readonly (readonly [string, PackedMap])[] {
  return files.map(({ name, sourceMap }) => [nodeScriptPrefix + name, sourceMap]);
}

/** Whether the name of a function is that of a file. Such a function runs the top level of modules. */
export function isFileName(name: string): boolean {
  return name.startsWith("./");
}
