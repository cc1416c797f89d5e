import type { JSONValue } from "convex/values";
import { limits } from "../checks/limits.ts";
import { cut } from "../checks/truncated.ts";
import type { StackMapper } from "../source/stack-trace.ts";
import { copyThrown, framesOf, type ThrownValue } from "./thrown-value.ts";

/** A function's failure: the text after "Server Error", and a ConvexError's data. */
export type FunctionFailure = {
  readonly kind: "failure";
  readonly message: string;
  readonly data?: JSONValue;
};

type FunctionSuccess = { readonly kind: "success"; readonly value: JSONValue };
export type FunctionResult = FunctionSuccess | FunctionFailure;

/** Creates a failure for a refusal by the backend. It is shown without "Uncaught". */
export function refusal(message: string): FunctionFailure {
  return { kind: "failure", message };
}

/**
 * Describes a thrown value as `Uncaught Error: message`, with its frames in the developer's files. Never
 * throws, but may run the developer's code: call it only while that code's time is limited.
 */
export function describeThrown(thrown: unknown, mapStack: StackMapper): FunctionFailure {
  return describeCopy(copyThrown(thrown), mapStack);
}

/**
 * The error of a nested call begins so, and its callers do not repeat that. Convex does the same since October 2026 (b352fab), also
 * for a message that a function has begun so by itself.
 */
const isUncaught = /^Uncaught \w+: /;

/** Describes a copied thrown value. Runs none of the developer's code. */
export function describeCopy(thrown: ThrownValue, mapStack: StackMapper): FunctionFailure {
  if (thrown.kind === "value") return { kind: "failure", message: bounded(`Uncaught ${thrown.text}`) };
  const { name, data } = thrown;
  const title = thrown.message === "" ? name : `${name}: ${thrown.message}`;
  const uncaught = isUncaught.test(thrown.message) ? thrown.message : `Uncaught ${title}`;
  const frames = framesOf(thrown).slice(0, limits.errorBytes);
  const message = [bounded(uncaught), ...mapStack(frames)].join("\n");
  return data === undefined ? { kind: "failure", message } : { kind: "failure", message, data };
}

/** Formats the complete message for the client. */
export function clientMessage(requestId: string, failure: FunctionFailure): string {
  return `[Request ID: ${requestId}] Server Error\n${failure.message}`;
}

const frames = /(?:\n {4}at [^\n]*)+$/;

/** Formats a failed HTTP action's answer: the error in one text, with its frames in another, and a ConvexError's data. */
export function httpFailure(requestId: string, { message, data }: FunctionFailure): JSONValue {
  const code = `[Request ID: ${requestId}] Server Error: ${message.replace(frames, "")}`;
  return data === undefined ? { code, trace: message } : { code, trace: message, data };
}

function bounded(text: string): string {
  return cut(text, limits.errorBytes);
}
