import { ConvexError } from "convex/values";
import type { Refusal } from "../model/refuse.ts";

/** A call of one of our own functions that did not succeed. */
export type Failure =
  | { readonly kind: "refused"; readonly refusal: Refusal }
  /** A bug, an outage or contention: Convex's errors do not tell which. */
  | { readonly kind: "failed"; readonly thrown: unknown };

/** How a call of one of our own functions ended. */
export type Outcome<T> = { readonly kind: "ok"; readonly value: T } | Failure;

/** Turns the errors of a call into values, so that callers decide by kind. Never rejects. */
export async function outcomeOf<T>(call: Promise<T>): Promise<Outcome<T>> {
  try {
    return { kind: "ok", value: await call };
  } catch (thrown) {
    return failureOf(thrown);
  }
}

/** Whether a mutation was given up because others changed what it had read, on each of its retries. Nothing was committed. */
export function isContention(thrown: unknown): boolean {
  const text = thrown instanceof Error ? `${thrown.name} ${thrown.message}` : "";
  return /OptimisticConcurrencyControlFailure|changed while this mutation was being run/.test(text);
}

export function failureOf(thrown: unknown): Failure {
  const refusal = refusalIn(thrown);
  if (refusal !== null) return { kind: "refused", refusal };
  return { kind: "failed", thrown };
}

/** A ConvexError's data may arrive as JSON text, depending on how the call reached us. */
function refusalIn(thrown: unknown): Refusal | null {
  if (!(thrown instanceof ConvexError)) return null;
  const raw: unknown = thrown.data;
  const data: unknown = typeof raw === "string" ? JSON.parse(raw) : raw;
  if (typeof data !== "object" || data === null || !("code" in data) || !("message" in data)) return null;
  return data as Refusal;
}

/**
 * Logs a bug: the names of the error and its causes, and where they happened. Leaves their messages out, which may contain the
 * arguments of the failed call, such as prompts: logs are stored elsewhere and for longer.
 */
export function logBug(what: string, thrown: unknown): void {
  console.error(`${what}: ${causesOf(thrown).map(placed).join(", caused by ")}`);
}

const mostCauses = 4;
const mostFrames = 20;

/** An error and its causes, the outermost first. */
function causesOf(thrown: unknown): readonly unknown[] {
  const causes: unknown[] = [thrown];
  for (let next = thrown; next instanceof Error && next.cause !== undefined; next = next.cause) {
    if (causes.length === mostCauses) break;
    causes.push(next.cause);
  }
  return causes;
}

/** An error's name, and the places of its stack from the innermost. */
function placed(thrown: unknown): string {
  if (!(thrown instanceof Error)) return typeof thrown;
  const places = [...placesIn(thrown.message), ...framesOf(thrown)].slice(0, mostFrames);
  return [nameOf(thrown), ...places].join(" at ");
}

/** V8 writes a stack as the name, the message, and then a line for each frame. */
function framesOf({ stack = "", message }: Error): readonly string[] {
  const start = stack.indexOf(message);
  const lines = start === -1 ? [] : stack.slice(start + message.length).split("\n");
  return lines.flatMap((line) => /^ {4}at (.{1,200})$/.exec(line)?.[1] ?? []);
}

/**
 * The places that Convex adds to the end of the message of a nested function's error. Only paths of source files count, since
 * the rest of a message may be a requester's.
 */
function placesIn(message: string): readonly string[] {
  const frame =
    /^ +at (?:[^()]* \()?((?:\.\.\/)*(?:convex|app|packages|node_modules)\/[\w@./-]{1,100}:\d+:\d+)\)?$/;
  const found: string[] = [];
  for (const line of message.split("\n").toReversed()) {
    const place = frame.exec(line)?.[1];
    if (place === undefined) break;
    found.unshift(place);
  }
  return found;
}

/** The name of an error. A validation error is a plain Error whose message begins with its real name. */
function nameOf(error: Error): string {
  const said = /^(Uncaught )?([A-Z][A-Za-z]{0,60}(Error|Failure))\b/.exec(error.message)?.[2];
  return said ?? (/^\w{1,60}$/.test(error.name) ? error.name : "Error");
}
