import type { JSONValue } from "convex/values";
import { limits } from "../checks/limits.ts";
import type { StackMapper } from "../source/stack-trace.ts";
import { copyThrown, type ThrownValue } from "./thrown-value.ts";
import { truncated } from "./truncated.ts";

/** Why a function did not return a value: the text below "Server Error", and a ConvexError's data. */
export type FunctionFailure = {
  readonly kind: "failure";
  readonly message: string;
  readonly data?: JSONValue;
};

export type FunctionSuccess = { readonly kind: "success"; readonly value: JSONValue };
export type FunctionResult = FunctionSuccess | FunctionFailure;

/** A refusal that is not the developer's code's: shown as it is, without "Uncaught". */
export function refusal(message: string): FunctionFailure {
  return { kind: "failure", message };
}

/**
 * Describes what a function threw, as `Uncaught Error: message` with its frames in the developer's files. Never
 * throws, but may run the developer's code: call it where that code's time is bounded.
 */
export function describeThrown(thrown: unknown, mapStack: StackMapper): FunctionFailure {
  return describeCopy(copyThrown(thrown), mapStack);
}

/** Describes the copy of what was thrown; runs none of the developer's code. */
export function describeCopy(thrown: ThrownValue, mapStack: StackMapper): FunctionFailure {
  if (thrown.kind === "value") return { kind: "failure", message: bounded(`Uncaught ${thrown.text}`) };
  const { name, data } = thrown;
  const title = thrown.message === "" ? name : `${name}: ${thrown.message}`;
  const message = [bounded(`Uncaught ${title}`), ...mapStack(framesOf(thrown))].join("\n");
  return data === undefined ? { kind: "failure", message } : { kind: "failure", message, data };
}

/** The whole message that a client receives. */
export function clientMessage(requestId: string, failure: FunctionFailure): string {
  return `[Request ID: ${requestId}] Server Error\n${failure.message}`;
}

// The message stands before the frames, and may be as long as the developer's code has made it.
function framesOf({ message, stack }: ThrownValue & { readonly kind: "error" }): string {
  const from = Math.max(stack.indexOf(message), 0) + message.length;
  return stack.slice(from, from + limits.errorBytes);
}

function bounded(text: string): string {
  return truncated(text, limits.errorBytes);
}
