import type { JSONValue } from "convex/values";
import { SyscallError } from "../execution/syscall-error.ts";

/** A syscall's arguments. Usually the convex package makes them, but any code of the bundle may call. */
export type SyscallArgs = { readonly [name: string]: JSONValue | undefined };

export function parseSyscallArgs(op: string, json: string): SyscallArgs {
  const parsed: unknown = JSON.parse(json);
  if (typeof parsed === "object" && parsed !== null && !Array.isArray(parsed)) return parsed as SyscallArgs;
  throw new SyscallError(`Invalid arguments for syscall ${op}`);
}

/** Returns the string argument `name` of `method`. */
export function stringArg(args: SyscallArgs, name: string, method: string): string {
  const value = args[name];
  if (typeof value === "string") return value;
  throw invalidArg(name, method, `expected a string, got ${JSON.stringify(value)}`);
}

export function optionalStringArg(args: SyscallArgs, name: string, method: string): string | null {
  return args[name] === undefined || args[name] === null ? null : stringArg(args, name, method);
}

export function numberArg(args: SyscallArgs, name: string, method: string): number {
  const value = args[name];
  if (typeof value === "number" && Number.isFinite(value)) return value;
  throw invalidArg(name, method, `expected a number, got ${JSON.stringify(value)}`);
}

/** Returns the argument `name`: a whole number, 0 or more. */
export function countArg(args: SyscallArgs, name: string, method: string): number {
  const value = numberArg(args, name, method);
  if (Number.isInteger(value) && value >= 0) return value;
  throw invalidArg(name, method, `expected a whole number, got ${String(value)}`);
}

export function optionalCountArg(args: SyscallArgs, name: string, method: string): number | null {
  return args[name] === undefined || args[name] === null ? null : countArg(args, name, method);
}

export function objectArg(args: SyscallArgs, name: string, method: string): { [field: string]: JSONValue } {
  const value = args[name];
  if (typeof value === "object" && value !== null && !Array.isArray(value)) {
    return value;
  }
  throw invalidArg(name, method, `Value must be an Object, got ${JSON.stringify(value)}`);
}

export function invalidArg(name: string, method: string, problem: string): SyscallError {
  return new SyscallError(`Invalid argument \`${name}\` for \`${method}\`: ${problem}`);
}
