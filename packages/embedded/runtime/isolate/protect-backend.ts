import { executions } from "../execution/execution.ts";
import { newestFrames } from "../execution/uncaught.ts";
import { formatWholeStack, stackFormatter } from "../source/error-stacks.ts";

/**
 * Objects of the backend's realm come into functions: what a web API returns, and the APIs themselves. Through them a function
 * could turn text into code of the backend, or change a class for everybody. This protects the backend from mistakes and
 * simple attacks. It makes no sandbox.
 */
export function protectBackend(): void {
  for (const constructor of functionConstructors()) refuseText(constructor);
  for (const { prototype } of [Array, Promise, Map, Set, RegExp]) Object.freeze(prototype);
  // Objects may have own properties with the names of these, so they must stay as they are.
  for (const { prototype } of [Object, Function, Error]) Object.preventExtensions(prototype);
  hideBackendPaths();
}

const formatForFunctions = stackFormatter(newestFrames);
let hidesPaths = false;

/**
 * Web APIs throw errors of this realm. A function must not read the backend's paths in their stacks. Other stacks stay as the
 * program has them, so nothing changes if Node maps them for it.
 */
export function hideBackendPaths(): void {
  if (hidesPaths || process.sourceMapsEnabled) return;
  hidesPaths = true;
  // Node's types say that there always is one.
  const { prepareStackTrace } = Error as { prepareStackTrace?: typeof Error.prepareStackTrace };
  const formatOther = prepareStackTrace?.bind(Error) ?? formatWholeStack;
  Error.prepareStackTrace = (error, sites): unknown =>
    executions.getStore() === undefined ? formatOther(error, sites) : formatForFunctions(error, sites);
}

function functionConstructors(): readonly object[] {
  const functions = [() => null, async () => null, function* () {}, async function* () {}];
  return functions.map((each) => Object.getPrototypeOf(each) as object);
}

/** Replaces the constructor that functions find in their prototype. The backend itself uses no text as code. */
function refuseText(prototype: object): void {
  const refuse = function Function(): never {
    throw new EvalError("Code generation from strings disallowed for this context");
  };
  refuse.prototype = prototype;
  Object.defineProperty(prototype, "constructor", { value: refuse });
}
