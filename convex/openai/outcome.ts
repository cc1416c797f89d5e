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
 * Logs a bug with the error's name only. The message may contain the arguments of the failed call, such as prompts, and logs
 * are stored elsewhere and for longer.
 */
export function logBug(what: string, thrown: unknown): void {
  console.error(`${what}: ${nameOf(thrown)}`);
}

/** The name of an error. A validation error is a plain Error whose message begins with its real name. */
function nameOf(thrown: unknown): string {
  if (!(thrown instanceof Error)) return typeof thrown;
  return /^(Uncaught )?([A-Z][A-Za-z]{0,60}(Error|Failure))\b/.exec(thrown.message)?.[2] ?? thrown.name;
}
