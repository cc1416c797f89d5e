import { convexToJson, type JSONValue, type Value } from "convex/values";
import { isNativeError } from "./native-error.ts";
import type { StackMapper } from "./stack-trace.ts";

/** Why a function did not return a value: the text below "Server Error", and a ConvexError's data. */
export type FunctionFailure = {
  readonly kind: "failure";
  readonly message: string;
  readonly data?: JSONValue;
};

export type FunctionSuccess = { readonly kind: "success"; readonly value: JSONValue };
export type FunctionResult = FunctionSuccess | FunctionFailure;

const CONVEX_ERROR = Symbol.for("ConvexError");

/** A refusal that is not the developer's code's: shown as it is, without "Uncaught". */
export function refusal(message: string): FunctionFailure {
  return { kind: "failure", message };
}

/** Describes what a function threw, as `Uncaught Error: message` with its frames in the developer's files. */
export function describeThrown(thrown: unknown, mapStack: StackMapper): FunctionFailure {
  if (!isErrorLike(thrown)) return { kind: "failure", message: `Uncaught ${String(thrown)}` };
  const frames = mapStack(typeof thrown.stack === "string" ? thrown.stack : "");
  const message = [`Uncaught ${headline(thrown)}`, ...frames].join("\n");
  const data = dataOf(thrown);
  return data === undefined ? { kind: "failure", message } : { kind: "failure", message, data };
}

/** The whole message that a client receives. */
export function clientMessage(requestId: string, failure: FunctionFailure): string {
  return `[Request ID: ${requestId}] Server Error\n${failure.message}`;
}

type ErrorLike = { name?: unknown; message?: unknown; stack?: unknown; data?: unknown };

// An error of the functions' realm is not an instance of this realm's Error.
function isErrorLike(thrown: unknown): thrown is ErrorLike {
  return isNativeError(thrown) || (typeof thrown === "object" && thrown !== null && "message" in thrown);
}

function headline({ name, message }: ErrorLike): string {
  const title = typeof name === "string" && name !== "" ? name : "Error";
  return typeof message === "string" && message !== "" ? `${title}: ${message}` : title;
}

function dataOf(thrown: ErrorLike): JSONValue | undefined {
  if (!(CONVEX_ERROR in thrown)) return undefined;
  // The convex package serializes it when the error leaves a function's handler.
  if (typeof thrown.data === "string" && "ConvexErrorSymbol" in thrown)
    return JSON.parse(thrown.data) as JSONValue;
  return convexToJson((thrown.data ?? null) as Value);
}
