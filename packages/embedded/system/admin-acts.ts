import { randomUUID } from "node:crypto";
import * as z from "zod";
import type { Log } from "../operations/log.ts";
import type { FunctionCall, FunctionRunner } from "../runtime/contract/function-runner.ts";
import { type RequestSource, unknownSource } from "../wire/request-source.ts";
import { isSystemFunction } from "./system-functions.ts";

/** Something that was done with the admin key. */
export type AdminAct = {
  readonly kind: "call" | "read" | "export" | "import" | "variables" | "push";
  /** Functions, tables or variables, never a value. */
  readonly names: readonly string[];
};

export type RecordAct = (act: AdminAct, source: RequestSource) => Promise<void>;

/** The app's function, if it has it. */
const recordFunction = "adminActs:record";
/** Equal reads from one address within this time are one, since programs repeat them. */
const readMs = 10 * 60_000;
const maxRemembered = 1_000;

type Options = {
  readonly runner: Pick<FunctionRunner, "runMutation" | "functionSpecs">;
  readonly log: Log;
  readonly now: () => number;
};

/**
 * Tells the app what is done with the admin key: its internal mutation `adminActs:record` gets `{ kind, names }`. Without this
 * function nothing happens. A failure is logged and stops nobody: the admin key must be able to mend an app that fails.
 */
export function adminActRecorder({ runner, log, now }: Options): RecordAct {
  const reads = new Map<string, number>();
  const isRepeated = ({ kind, names }: AdminAct, { ip }: RequestSource): boolean => {
    if (kind !== "read") return false;
    const key = JSON.stringify([ip, names]);
    const before = reads.get(key);
    if (before !== undefined && now() - before < readMs) return true;
    if (reads.size >= maxRemembered) reads.clear();
    reads.set(key, now());
    return false;
  };
  const isWanted = (): boolean =>
    runner.functionSpecs().some(({ identifier }) => identifier.replace(/\.js:/, ":") === recordFunction);
  return async (act, source) => {
    if (!isWanted() || isRepeated(act, source)) return;
    const { outcome } = await runner.runMutation({
      path: recordFunction,
      args: { kind: act.kind, names: [...act.names] },
      identity: { kind: "admin" },
      requestId: randomUUID(),
      source,
    });
    if (outcome.kind === "failure") log.error("admin-act.not-recorded", { message: outcome.message });
  };
}

/** Queries of the convex command that return documents. */
const tableArgs = z.object({ table: z.string().optional(), tableName: z.string().optional() });
const readsDocuments = /^_system\/cli\/(?:tableData|queryTable)(?::default)?$/;

type Call = Pick<FunctionCall, "path" | "component" | "args" | "identity">;
type RecordCall = (call: Call, kind: "call" | "read", source: RequestSource | undefined) => Promise<void>;

/** Records a call if the admin makes it. */
export function adminCallRecorder(record: RecordAct): RecordCall {
  return async (call, kind, source = unknownSource) => {
    const act = call.identity.kind === "admin" ? actOf(call, kind) : null;
    if (act !== null) await record(act, source);
  };
}

/** Records calls of the admin before they run. Other calls pass through. */
export function recordingAdminCalls(runner: FunctionRunner, record: RecordCall): FunctionRunner {
  return {
    runQuery: async (call) => {
      await record(call, "read", call.source);
      return runner.runQuery(call);
    },
    runMutation: async (call) => {
      await record(call, "call", call.source);
      return runner.runMutation(call);
    },
    runAction: async (call) => {
      await record(call, "call", call.source);
      return runner.runAction(call);
    },
    runAny: async (call) => {
      await record(call, "call", call.source);
      return runner.runAny(call);
    },
    runHttp: (request, caller) => runner.runHttp(request, caller),
    functionSpecs: (component) => runner.functionSpecs(component),
  };
}

/** Null for queries of the convex command that return no documents. */
function actOf({ path, component = "", args }: Call, kind: "call" | "read"): AdminAct | null {
  if (!isSystemFunction(path)) return { kind, names: [component === "" ? path : `${component}/${path}`] };
  const table = readsDocuments.test(path) ? tableArgs.safeParse(args).data : undefined;
  return table === undefined ? null : { kind: "read", names: [table.table ?? table.tableName ?? ""] };
}
