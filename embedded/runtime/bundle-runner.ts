import { randomUUID } from "node:crypto";
import type { ScheduledFunction } from "../scheduler/scheduled-function.ts";
import type { ConflictStats } from "./conflict-stats.ts";
import { newCallContext, type CallContext } from "./execution.ts";
import { clientMessage, refusal, type FunctionResult } from "./function-failure.ts";
import { parseFunctionPath, shortPathOf } from "./function-path.ts";
import { LogLines } from "./log-lines.ts";
import type { LoadedModules } from "./loaded-modules.ts";
import type { RegisteredFunction } from "./registered-function.ts";
import { runAction } from "./run-action.ts";
import { runHttp } from "./run-http.ts";
import { runMutation, runScheduledMutation } from "./run-mutation.ts";
import { runQuery } from "./run-query.ts";
import type { FunctionRuntime } from "./function-runtime.ts";
import type { ScheduledFunctionRunner } from "./scheduled-function-runner.ts";
import { notFound, type Services } from "./services.ts";
import { wrongType } from "./syscalls/target.ts";
import type {
  Completed,
  FunctionCall,
  FunctionSpec,
  Identity,
  MutationRun,
  Outcome,
  QueryRun,
} from "./types.ts";

type QueryCall = Parameters<FunctionRuntime["runQuery"]>[0];
type Resolved =
  | { readonly kind: "target"; readonly target: RegisteredFunction }
  | { readonly kind: "refused"; readonly result: FunctionResult };

const NO_USER: Identity = { kind: "none" };

/** Runs the functions of one loaded bundle for clients: finds them, checks who may call, words the outcome. */
export class BundleRunner implements FunctionRuntime {
  readonly scheduled: ScheduledFunctionRunner;
  readonly crons: LoadedModules["crons"];
  readonly authConfig: LoadedModules["authConfig"];
  readonly #services: Services;
  readonly #modules: LoadedModules;
  readonly #stats: ConflictStats;
  readonly #onLog: (identifier: string, line: string) => void;

  constructor(
    services: Services,
    modules: LoadedModules,
    stats: ConflictStats,
    onLog: (identifier: string, line: string) => void,
  ) {
    this.#services = services;
    this.#modules = modules;
    this.#stats = stats;
    this.#onLog = onLog;
    this.crons = modules.crons;
    this.authConfig = modules.authConfig;
    this.scheduled = {
      typeOf: (name) => this.#schedulable(name)?.type ?? null,
      runMutation: (job) => this.#runScheduledMutation(job),
      runAction: (job) => this.#runScheduledAction(job),
    };
  }

  async runQuery(call: QueryCall): Promise<QueryRun> {
    const context = newCallContext(call);
    const resolved = this.#resolve(call, "Query");
    const { engine } = this.#services;
    if (resolved.kind === "refused") {
      return { ...this.#complete(call.path, context, resolved.result), ...nothingRead(engine.durable()) };
    }
    const { result, ...run } = await runQuery(this.#services, resolved.target, call.args, context, call);
    return { ...this.#complete(resolved.target.identifier, context, result), ...run };
  }

  async runMutation(call: FunctionCall): Promise<MutationRun> {
    const context = newCallContext(call);
    const resolved = this.#resolve(call, "Mutation");
    if (resolved.kind === "refused") {
      const ts = this.#services.engine.durable();
      return { ...this.#complete(call.path, context, resolved.result), ts };
    }
    const { target } = resolved;
    const { result, ts } = await runMutation(
      this.#services,
      this.#stats,
      { target, args: call.args, context },
      call.session,
    );
    return { ...this.#complete(target.identifier, context, result), ts };
  }

  async runAction(call: FunctionCall): Promise<Completed> {
    const context = newCallContext(call);
    const resolved = this.#resolve(call, "Action");
    if (resolved.kind === "refused") return this.#complete(call.path, context, resolved.result);
    const result = await runAction(this.#services, resolved.target, call.args, context);
    return this.#complete(resolved.target.identifier, context, result);
  }

  async runAny(call: FunctionCall): Promise<Completed> {
    const resolved = this.#resolve(call, null);
    if (resolved.kind === "refused") {
      return this.#complete(call.path, newCallContext(call), resolved.result);
    }
    switch (resolved.target.type) {
      case "Query":
        return this.runQuery(call);
      case "Mutation":
        return this.runMutation(call);
      case "Action":
        return this.runAction(call);
    }
  }

  async runHttp(request: Request, identity: Identity = NO_USER): Promise<Response | null> {
    const name = `HTTP ${request.method} ${new URL(request.url).pathname}`;
    // Lines are told as they come: a stream may log long after its response was returned.
    const logs = new LogLines((line) => this.#onLog(name, line));
    const context = { ...newCallContext({ identity, requestId: randomUUID() }), logs };
    return runHttp(this.#services, this.#modules.http, request, context);
  }

  functionSpecs(): readonly FunctionSpec[] {
    return this.#modules.functions.map(({ identifier, type, visibility, args, returns }) => ({
      identifier,
      functionType: type,
      visibility,
      args: args as unknown as FunctionSpec["args"],
      returns: returns as unknown as FunctionSpec["returns"],
    }));
  }

  conflictStats(): ReturnType<FunctionRuntime["conflictStats"]> {
    return this.#stats.snapshot();
  }

  #resolve({ path: text, identity }: FunctionCall, type: RegisteredFunction["type"] | null): Resolved {
    const path = parseFunctionPath(text);
    const target = path === null ? null : this.#modules.find(path);
    if (target === null || (target.visibility === "internal" && identity.kind !== "admin")) {
      return { kind: "refused", result: notFound(path === null ? text : shortPathOf(path), identity) };
    }
    if (type !== null && target.type !== type) {
      return { kind: "refused", result: refusal(wrongType(target, type)) };
    }
    return { kind: "target", target };
  }

  #complete(identifier: string, context: CallContext, result: FunctionResult): Completed {
    this.#report(identifier, context);
    return { outcome: toOutcome(context.requestId, result), logLines: context.logs.lines() };
  }

  #report(identifier: string, { logs }: CallContext): void {
    for (const line of logs.lines()) this.#onLog(identifier, line);
  }

  #schedulable(name: string): (RegisteredFunction & { readonly type: "Mutation" | "Action" }) | null {
    const path = parseFunctionPath(name);
    const target = path === null ? null : this.#modules.find(path);
    if (target === null || target.type === "Query") return null;
    return target as RegisteredFunction & { readonly type: "Mutation" | "Action" };
  }

  async #runScheduledMutation(job: ScheduledFunction) {
    const { target, context } = this.#scheduledCall(job);
    const call = { target, args: job.args, context };
    const run = await runScheduledMutation(this.#services, this.#stats, call, job.id);
    if (run.kind === "finished") this.#reportScheduled(target, context, run.result);
    return run;
  }

  async #runScheduledAction(job: ScheduledFunction): Promise<FunctionResult> {
    const { target, context } = this.#scheduledCall(job);
    const result = await runAction(this.#services, target, job.args, context);
    this.#reportScheduled(target, context, result);
    return result;
  }

  #scheduledCall(job: ScheduledFunction) {
    const target = this.#schedulable(job.name);
    if (target === null) throw new Error(`There is no function ${job.name} to run.`);
    return { target, context: newCallContext({ identity: NO_USER, requestId: randomUUID() }, job.id) };
  }

  // Nobody waits for a scheduled function: its failure would be seen by no one.
  #reportScheduled({ identifier }: RegisteredFunction, context: CallContext, result: FunctionResult): void {
    if (result.kind === "failure") context.logs.add(`[ERROR] ${result.message}`);
    this.#report(identifier, context);
  }
}

function toOutcome(requestId: string, result: FunctionResult): Outcome {
  if (result.kind === "success") return result;
  const message = clientMessage(requestId, result);
  return result.data === undefined
    ? { kind: "failure", message }
    : { kind: "failure", message, data: result.data };
}

function nothingRead(ts: QueryRun["ts"]): Pick<QueryRun, "ts" | "readSet" | "journal"> {
  return { ts, readSet: { ranges: [], size: 0 }, journal: null };
}
