import type { JSONValue } from "convex/values";
import type { Engine } from "../../engine/model/types.ts";
import type { FunctionPath } from "../../names/function-path.ts";
import type { ComponentPath } from "../../names/table-name.ts";
import type { FileStorage } from "../../storage/file-storage.ts";
import type { Schema } from "../checks/schema.ts";
import type { Identity } from "../contract/function-runner.ts";
import type { RegisteredFunction } from "../contract/registered-function.ts";
import type { CallContext, TransactionExecution } from "../execution/execution.ts";
import type { FunctionFailure, FunctionResult } from "../execution/function-failure.ts";
import type { StackMapper } from "../source/stack-trace.ts";
import type { CursorSealer } from "./cursor.ts";

/** Waiting that is added on purpose, to measure the functions against a database that is not next door. */
export type Latency = { readonly readMs: number; readonly commitMs: number };

/** How functions call functions. Paths were resolved; visibility does not matter between functions. */
export type Calls = {
  readonly nested: (
    execution: TransactionExecution,
    target: RegisteredFunction,
    args: JSONValue,
  ) => Promise<FunctionResult>;
  /** A query on the snapshot that the caller reads, without the caller's writes; it can lead to no conflict. */
  readonly snapshotQuery: (
    execution: TransactionExecution,
    target: RegisteredFunction,
    args: JSONValue,
  ) => Promise<FunctionResult>;
  readonly query: (
    target: RegisteredFunction,
    args: JSONValue,
    context: CallContext,
  ) => Promise<FunctionResult>;
  readonly mutation: (
    target: RegisteredFunction,
    args: JSONValue,
    context: CallContext,
  ) => Promise<FunctionResult>;
  readonly action: (
    target: RegisteredFunction,
    args: JSONValue,
    context: CallContext,
  ) => Promise<FunctionResult>;
};

/** What the syscalls stand on. */
export type Services = {
  readonly engine: Engine;
  readonly schemaOf: (component: ComponentPath) => Schema;
  readonly cursors: CursorSealer;
  /** What `ctx.storage` stands on; null where there is none. */
  readonly files: FileStorage | null;
  readonly latency: Latency;
  readonly deploymentName: string;
  readonly find: (path: FunctionPath) => RegisteredFunction | null;
  readonly mapStack: StackMapper;
  readonly calls: Calls;
};

/**
 * Missing functions and internal ones answer alike, so that outsiders learn nothing. The admin, who may call
 * both, is told by other words, which `npx convex run` takes as a cue to list what there is.
 */
export function notFound(shortPath: string, { kind }: Identity): FunctionFailure {
  const what = kind === "admin" ? "function" : "public function";
  return {
    kind: "failure",
    message: `Could not find ${what} for '${shortPath}'. Did you forget to run \`npx convex dev\` or \`npx convex deploy\`?`,
  };
}
