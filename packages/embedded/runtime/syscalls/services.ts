import type { JSONValue } from "convex/values";
import type { Engine, ReadSet, Timestamp } from "../../engine/model/types.ts";
import type { Turns } from "../../engine/transact/turns.ts";
import type { FunctionPath } from "../../names/function-path.ts";
import type { ComponentPath } from "../../names/table-name.ts";
import type { FileStorage } from "../../storage/file-storage.ts";
import type { Schema } from "../checks/schema.ts";
import type { DeployGate } from "../code/deploy-gate.ts";
import type { Identity } from "../contract/function-runner.ts";
import type { RegisteredFunction } from "../contract/registered-function.ts";
import type { CallContext, TransactionExecution } from "../execution/execution.ts";
import type { FunctionFailure, FunctionResult } from "../execution/function-failure.ts";
import type { Budget } from "../execution/transaction-usage.ts";
import type { Worlds } from "../isolate/worlds.ts";
import type { NodeActions } from "../node/node-actions.ts";
import type { StackMapper } from "../source/stack-trace.ts";
import type { AnswerSeal } from "../tables/answer-seal.ts";
import type { CursorSealer } from "./cursor.ts";
import type { QueryPlans } from "./query-plans.ts";

/** Artificial delays, to measure functions as if the database were distant. */
export type Latency = { readonly readMs: number; readonly commitMs: number };

/** Calls from functions to functions. Their paths were resolved; visibility does not matter between functions. */
export type Calls = {
  readonly nested: (
    execution: TransactionExecution,
    target: RegisteredFunction,
    args: JSONValue,
  ) => Promise<FunctionResult>;
  /**
   * Runs a query on the caller's snapshot, without the caller's writes. It cannot cause a conflict. As on Convex, its reads do not
   * count as the caller's.
   */
  readonly snapshotQuery: (
    execution: TransactionExecution,
    target: RegisteredFunction,
    args: JSONValue,
    budget: Budget,
  ) => Promise<FunctionResult>;
  readonly query: (
    target: RegisteredFunction,
    args: JSONValue,
    context: CallContext,
  ) => Promise<{ readonly result: FunctionResult; readonly readSet: ReadSet; readonly ts: Timestamp }>;
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

/** The services that syscalls use. */
export type Services = {
  readonly engine: Engine;
  /** Keeps a deploy apart from running queries and mutations. */
  readonly gate: DeployGate;
  readonly schemaOf: (component: ComponentPath) => Schema;
  readonly cursors: CursorSealer;
  readonly answers: AnswerSeal;
  readonly plans: QueryPlans;
  /** Implements `ctx.storage`; null without file storage. */
  readonly files: FileStorage | null;
  readonly latency: Latency;
  /** Limits the mutations that run at once. */
  readonly mutationTurns: Turns;
  readonly deploymentName: string;
  readonly find: (path: FunctionPath) => RegisteredFunction | null;
  readonly hasModule: (path: Pick<FunctionPath, "component" | "module">) => boolean;
  readonly worlds: Worlds;
  /** Runs the actions of "use node" modules; null without any. */
  readonly node: NodeActions | null;
  readonly mapStack: StackMapper;
  readonly calls: Calls;
};

/**
 * Missing and internal functions give the same answer, so that outsiders learn nothing. The admin may call both
 * and gets another message, on which `npx convex run` lists the available functions.
 */
export function notFound(shortPath: string, { kind }: Identity): FunctionFailure {
  return {
    kind: "failure",
    message: couldNotFind(kind === "admin" ? "function" : "public function", shortPath),
  };
}

/** Convex's message for a missing function. `place` says in which component. */
export function couldNotFind(what: string, shortPath: string, place = ""): string {
  return `Could not find ${what} for '${shortPath}'${place}. Did you forget to run \`npx convex dev\` or \`npx convex deploy\`?`;
}
