/// <reference lib="esnext.error" />

import { convexToJson, type JSONValue, type Value } from "convex/values";
import { limits } from "../checks/limits.ts";

/** A copy of a thrown value. Reading it runs none of the function's code. */
export type ThrownValue =
  | { readonly kind: "value"; readonly text: string }
  | {
      readonly kind: "error";
      readonly name: string;
      readonly message: string;
      readonly stack: string;
      readonly data?: JSONValue | undefined;
    };

/** Longest text of a copy that another process sends. Descriptions of errors are shorter. */
export const maxCopiedText = 2 * limits.errorBytes;

const convexError = Symbol.for("ConvexError");

/**
 * Copies any thrown value. Never throws, but may run the developer's code in a getter or a proxy's trap: call
 * it only while that code's time is limited.
 */
export function copyThrown(thrown: unknown): ThrownValue {
  if (!isErrorLike(thrown)) {
    return { kind: "value", text: textOf(thrown) };
  }
  return {
    kind: "error",
    name: text(() => thrown.name) || "Error",
    message: text(() => thrown.message),
    stack: text(() => thrown.stack),
    data: attempt(() => dataOf(thrown), undefined),
  };
}

const beginsFrame = "    at ";

/**
 * Returns the frames of an error's stack. The stack of a function's error has nothing else. Others begin with the message, which may
 * be of any length and look like frames, and may have been replaced since.
 */
export function framesOf({ message, stack }: { readonly message: string; readonly stack: string }): string {
  if (stack.startsWith(beginsFrame)) return stack;
  const at = stack.indexOf(message);
  return stack.slice(at === -1 ? Math.max(stack.indexOf(`\n${beginsFrame}`), 0) : at + message.length);
}

type ErrorLike = { name?: unknown; message?: unknown; stack?: unknown; data?: unknown };

// An error of the functions' realm is not an instance of this realm's Error.
function isErrorLike(thrown: unknown): thrown is ErrorLike {
  if (isNativeError(thrown)) return true;
  return typeof thrown === "object" && thrown !== null && attempt(() => "message" in thrown, false);
}

function textOf(thrown: unknown): string {
  if (typeof thrown !== "object" || thrown === null) {
    return attempt(() => String(thrown), "[object Function]");
  }
  return attempt(() => objectText(thrown), "[object Object]");
}

/** V8's text of an uncaught object, which Convex shows: the name of its class, unless it has a text of its own. */
function objectText(thrown: object): string {
  const constructor: unknown = thrown.constructor;
  const name = typeof constructor === "function" ? constructor.name : "";
  const toString = Reflect.get(thrown, "toString") as unknown;
  if (name !== "" && toString === Reflect.get(rootOf(thrown), "toString")) return `#<${name}>`;
  return Object.prototype.toString.call(thrown);
}

/** Longer chains of prototypes may have no end: a proxy's trap may make them. */
const longestChain = 100;

function rootOf(value: object): object {
  let root = value;
  for (let steps = 0; steps < longestChain; steps += 1) {
    const prototype = Object.getPrototypeOf(root) as object | null;
    if (prototype === null) return root;
    root = prototype;
  }
  return root;
}

function dataOf(thrown: ErrorLike): JSONValue | undefined {
  if (!(convexError in thrown)) return undefined;
  const { data } = thrown;
  // The convex package serializes it when the error leaves a function's handler.
  if (typeof data === "string" && "ConvexErrorSymbol" in thrown) return JSON.parse(data) as JSONValue;
  return convexToJson((data ?? null) as Value);
}

function text(read: () => unknown): string {
  const value = attempt(read, "");
  return typeof value === "string" ? value : "";
}

function attempt<T>(read: () => T, otherwise: T): T {
  try {
    return read();
  } catch {
    return otherwise;
  }
}

/**
 * Whether a value is an error of any realm. `instanceof` knows only errors of this realm. Runs none of the
 * value's code.
 */
export function isNativeError(value: unknown): value is Error {
  return Error.isError(value);
}
