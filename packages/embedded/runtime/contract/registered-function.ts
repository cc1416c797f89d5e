import { type FunctionPath, identifierOf } from "../../names/function-path.ts";
import type { ValidatorJson } from "../checks/validator-json.ts";
import type { FunctionSpec } from "./function-runner.ts";

/** A function that the bundle exports. */
export type RegisteredFunction = {
  readonly path: FunctionPath;
  readonly identifier: string;
  readonly type: FunctionSpec["functionType"];
  readonly visibility: FunctionSpec["visibility"];
  readonly args: ValidatorJson;
  readonly returns: ValidatorJson | null;
  /** Whether all runs of its module use one world. */
  readonly sharesWorld: boolean;
  /** Whether it is an action of a "use node" module, which runs in a Node process. */
  readonly runsInNode: boolean;
};

/** Runs a function's handler on `[args]` as JSON; resolves to the returned value as JSON. */
export type Invoke = (argsJson: string, requestId: string) => Promise<string>;

type Exported = {
  isQuery?: true;
  isMutation?: true;
  isAction?: true;
  isInternal?: true;
  isPublic?: true;
  invokeQuery?: (argsJson: string) => Promise<string>;
  invokeMutation?: (argsJson: string) => Promise<string>;
  invokeAction?: (requestId: string, argsJson: string) => Promise<string>;
  exportArgs?: () => string;
  exportReturns?: () => string;
};

/**
 * Recognizes exports that were made by `query`, `mutation`, `action` and their internal variants. Returns
 * null for any other export.
 */
export function readRegisteredFunction(
  path: FunctionPath,
  value: unknown,
  sharesWorld: boolean,
): RegisteredFunction | null {
  if (typeof value !== "function") return null;
  const exported = value as Exported;
  const runner = runnerOf(exported);
  if (runner === null || !(exported.isPublic || exported.isInternal)) return null;
  return {
    path,
    identifier: identifierOf(path),
    type: runner.type,
    visibility: exported.isInternal ? "internal" : "public",
    args: JSON.parse(exported.exportArgs?.() ?? '{"type":"any"}') as ValidatorJson,
    returns: JSON.parse(exported.exportReturns?.() ?? "null") as ValidatorJson | null,
    sharesWorld,
    runsInNode: false,
  };
}

/** The handler of an exported function. Throws if a module exports another value than when it was loaded first. */
export function invokeOf({ identifier, type }: RegisteredFunction, exported: unknown): Invoke {
  const runner = typeof exported === "function" ? runnerOf(exported as Exported) : null;
  if (runner?.type !== type) throw new Error(`${identifier} is not the function that it was.`);
  return runner.invoke;
}

type Runner = { readonly type: RegisteredFunction["type"]; readonly invoke: Invoke };

function runnerOf(exported: Exported): Runner | null {
  const { invokeQuery, invokeMutation, invokeAction } = exported;
  if (exported.isQuery && invokeQuery) return { type: "Query", invoke: (args) => invokeQuery(args) };
  if (exported.isMutation && invokeMutation) {
    return { type: "Mutation", invoke: (args) => invokeMutation(args) };
  }
  if (exported.isAction && invokeAction) {
    return { type: "Action", invoke: (args, requestId) => invokeAction(requestId, args) };
  }
  return null;
}
