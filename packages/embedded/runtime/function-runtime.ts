import { randomUUID } from "node:crypto";
import type { JSONValue } from "convex/values";
import { parseFunctionPath, shortPathOf, udfPathOf } from "../names/function-path.ts";
import { appComponent, type ComponentPath } from "../names/table-name.ts";
import type { CronSpec } from "../scheduler/cron/cron-spec.ts";
import type { ScheduledFunction } from "../scheduler/scheduled-function.ts";
import type { ScheduledFunctionRunner } from "../scheduler/scheduler.ts";
import { unknownSource } from "../wire/request-source.ts";
import type { Schema } from "./checks/schema.ts";
import type { CurrentCode } from "./code/current-code.ts";
import {
  type Completed,
  type FunctionCall,
  type FunctionRunner,
  type FunctionSpec,
  type HttpCaller,
  type Identity,
  type MutationRun,
  type Outcome,
  type QueryRun,
} from "./contract/function-runner.ts";
import type { RegisteredFunction } from "./contract/registered-function.ts";
import { type CallContext, newCallContext } from "./execution/execution.ts";
import { clientMessage, type FunctionResult, refusal } from "./execution/function-failure.ts";
import {
  type FunctionKind,
  type FunctionObserver,
  type RunCounts,
  timedRun,
} from "./execution/function-run.ts";
import { LogLines } from "./execution/log-lines.ts";
import type { ConflictStats, FunctionStats } from "./run/conflict-stats.ts";
import { runAction } from "./run/run-action.ts";
import { hasHttpActions, routeHttp, runHttp } from "./run/run-http.ts";
import { runInlineQuery } from "./run/run-inline-query.ts";
import { refuseMutation, runMutation, runScheduledMutation } from "./run/run-mutation.ts";
import { runQuery } from "./run/run-query.ts";
import type { BundledScript } from "./source/bundled-script.ts";
import { notFound, type Services } from "./syscalls/services.ts";
import { wrongType } from "./syscalls/target.ts";

type QueryCall = Parameters<FunctionRunner["runQuery"]>[0];
type Resolved =
  | { readonly kind: "target"; readonly target: RegisteredFunction }
  | { readonly kind: "refused"; readonly result: FunctionResult };

const noUser: Identity = { kind: "none" };

/**
 * Runs the functions of the current code for clients and for the scheduler. Finds the function, checks that the
 * client may call it, and formats the outcome.
 */
export class FunctionRuntime implements FunctionRunner {
  readonly scheduled: ScheduledFunctionRunner;
  readonly #services: Services;
  readonly #code: CurrentCode;
  readonly #stats: ConflictStats;
  readonly #observer: FunctionObserver;

  constructor(services: Services, code: CurrentCode, stats: ConflictStats, observer: FunctionObserver) {
    this.#services = services;
    this.#code = code;
    this.#stats = stats;
    this.#observer = observer;
    this.scheduled = {
      typeOf: (job) => this.#find(job)?.type ?? null,
      runMutation: (job) => this.#runScheduledMutation(job),
      runAction: (job) => this.#runScheduledAction(job),
    };
  }

  get crons(): readonly CronSpec[] {
    return this.#code.components.crons;
  }

  /** The app, and the components that are installed in it. */
  get componentPaths(): readonly ComponentPath[] {
    return this.#code.components.all.map(({ path }) => path);
  }

  get authConfig(): JSONValue {
    return this.#code.components.app.modules.authConfig;
  }

  /** The code that runs, to replace it. */
  get code(): CurrentCode {
    return this.#code;
  }

  /** Runs a task while no query and no attempt of a mutation runs. Later ones wait for its end. */
  whileIdle<T>(task: () => T): Promise<T> {
    return this.#services.gate.alone(task);
  }

  async runQuery(call: QueryCall): Promise<QueryRun> {
    const context = newCallContext(call);
    const resolved = this.#resolve(call, "Query");
    const ended = this.#watch(call, "Query", resolved);
    const { engine } = this.#services;
    if (resolved.kind === "refused") {
      return { ...ended(context, resolved.result), ...nothingRead(engine.durable()) };
    }
    const { result, documentsRead, ...run } = await runQuery(
      this.#services,
      resolved.target,
      call.args,
      context,
      call,
    );
    return { ...ended(context, result, { documentsRead }), ...run };
  }

  async runMutation(call: FunctionCall): Promise<MutationRun> {
    const context = newCallContext(call);
    const resolved = this.#resolve(call, "Mutation");
    const ended = this.#watch(call, "Mutation", resolved);
    if (resolved.kind === "refused") {
      const { result, ts } = await refuseMutation(this.#services, resolved.result, call.session);
      return { ...ended(context, result), ts };
    }
    const { target } = resolved;
    const { result, ts, retries, deletedThrough } = await runMutation(
      this.#services,
      this.#stats,
      { target, args: call.args, context },
      call.session,
    );
    const run = { ...ended(context, result, { retries }), ts };
    return deletedThrough === null ? run : { ...run, deletedThrough };
  }

  async runAction(call: FunctionCall): Promise<Completed> {
    const context = newCallContext(call);
    const resolved = this.#resolve(call, "Action");
    const ended = this.#watch(call, "Action", resolved);
    if (resolved.kind === "refused") return ended(context, resolved.result);
    return ended(context, await runAction(this.#services, resolved.target, call.args, context));
  }

  async runAny(call: FunctionCall): Promise<Completed> {
    const resolved = this.#resolve(call, null);
    if (resolved.kind === "refused") {
      return this.#watch(call, "Query", resolved)(newCallContext(call), resolved.result);
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

  /** Runs a query that is no function of the deployment, as the admin, in a component. */
  async runInline(script: BundledScript, component: ComponentPath, requestId: string): Promise<Completed> {
    const context = newCallContext({ identity: { kind: "admin" }, requestId });
    const load = this.#code.loadAside.bind(this.#code);
    const result = this.#code.components.get(component)
      ? await runInlineQuery(this.#services, load, script, component, context)
      : refusal(`There is no component ${component}.`);
    return { outcome: toOutcome(requestId, result), logLines: context.logs.lines() };
  }

  async runHttp(request: Request, caller: HttpCaller = {}): Promise<Response | null> {
    const { identity = noUser, requestId = randomUUID(), source = unknownSource } = caller;
    const call = newCallContext({ identity, requestId, source });
    const target = routeHttp(this.#services, this.#code.components, request, call);
    if (target === null) return null;
    const { component, identifier } = target;
    const run = { requestId, component, identifier, kind: "HttpAction", caller: "Client" } as const;
    // Report each line at once: a stream may log long after its response was returned.
    const logs = new LogLines((line) => this.#observer.onLine(run, line));
    const context = { ...call, logs };
    const ended = timedRun(this.#observer, run);
    const { answered = null } = caller;
    const { response, failure } = await runHttp(this.#services, target, request, context, answered);
    ended({ result: failure ?? { kind: "success", value: null }, logLines: [] });
    return response;
  }

  /** Whether a request is for the app or a component with HTTP actions, even if none of them answers it. */
  hasHttpActions(request: Request): boolean {
    return hasHttpActions(this.#code.components, request);
  }

  functionSpecs(component: ComponentPath = appComponent): readonly FunctionSpec[] {
    const { functions = [] } = this.#code.components.get(component)?.modules ?? {};
    return functions.map(({ path, type, visibility, args, returns }) => ({
      identifier: udfPathOf(path),
      functionType: type,
      visibility,
      args: args as unknown as FunctionSpec["args"],
      returns: returns as unknown as FunctionSpec["returns"],
    }));
  }

  schemaOf(component: ComponentPath): Schema {
    return this.#code.components.schemaOf(component);
  }

  /** Conflicts and retries of mutations, by function. */
  conflictStats(): { readonly [identifier: string]: FunctionStats } {
    return this.#stats.snapshot();
  }

  resetConflictStats(): void {
    this.#stats.reset();
  }

  #resolve(call: FunctionCall, type: RegisteredFunction["type"] | null): Resolved {
    const { path: text, component = appComponent, identity } = call;
    const path = parseFunctionPath(text, component);
    const target = path === null ? null : this.#code.components.find(path);
    const isPublic = target?.visibility === "public" && component === appComponent;
    if (target === null || !(isPublic || identity.kind === "admin")) {
      return { kind: "refused", result: notFound(path === null ? text : shortPathOf(path), identity) };
    }
    if (type !== null && target.type !== type) {
      return { kind: "refused", result: refusal(wrongType(target, type)) };
    }
    return { kind: "target", target };
  }

  /** Starts observing a client's call. The returned function ends that, and formats the outcome for the client. */
  #watch({ requestId, component = appComponent }: FunctionCall, kind: FunctionKind, resolved: Resolved) {
    const identifier = resolved.kind === "target" ? resolved.target.identifier : null;
    const ended = timedRun(this.#observer, { requestId, component, identifier, kind, caller: "Client" });
    return ({ logs }: CallContext, result: FunctionResult, counts: RunCounts = {}): Completed => {
      const logLines = logs.lines();
      ended({ result, logLines, ...counts });
      return { outcome: toOutcome(requestId, result), logLines };
    };
  }

  #find({ component, name }: Pick<ScheduledFunction, "component" | "name">): RegisteredFunction | null {
    const path = parseFunctionPath(name, component);
    return path === null ? null : this.#code.components.find(path);
  }

  async #runScheduledMutation(job: ScheduledFunction) {
    const { target, context } = this.#scheduledCall(job);
    const call = { target, args: job.args, context };
    const ended = this.#watchScheduled(target, context);
    const run = await runScheduledMutation(this.#services, this.#stats, call, job.id);
    if (run.kind === "finished") ended(run.result, run.retries);
    return run;
  }

  async #runScheduledAction(job: ScheduledFunction): Promise<FunctionResult> {
    const { target, context } = this.#scheduledCall(job);
    const ended = this.#watchScheduled(target, context);
    const result = await runAction(this.#services, target, job.args, context);
    ended(result);
    return result;
  }

  #scheduledCall(job: ScheduledFunction) {
    const target = this.#find(job);
    if (target === null) throw new Error(`There is no function ${job.name} to run.`);
    const scheduledFunctionId = job.isCronRun ? null : job.id;
    const context = newCallContext({ identity: noUser, requestId: randomUUID() }, scheduledFunctionId);
    return { target, context };
  }

  #watchScheduled({ path, identifier, type }: RegisteredFunction, { requestId, logs }: CallContext) {
    const { component } = path;
    const run = { requestId, component, identifier, kind: type, caller: "Scheduler" } as const;
    const ended = timedRun(this.#observer, run);
    return (result: FunctionResult, retries = 0): void => ended({ result, logLines: logs.lines(), retries });
  }
}

function toOutcome(requestId: string, result: FunctionResult): Outcome {
  if (result.kind === "success") return result;
  const message = clientMessage(requestId, result);
  return result.data === undefined
    ? { kind: "failure", message }
    : { kind: "failure", message, data: result.data };
}

/** The run of a call that is refused before it is a function's. */
export function refusedRun(requestId: string, problem: string): Completed {
  return { outcome: toOutcome(requestId, refusal(problem)), logLines: [] };
}

/** The reads of a query that is refused. */
export function nothingRead(ts: QueryRun["ts"]): Pick<QueryRun, "ts" | "readSet" | "journal"> {
  return { ts, readSet: { ranges: [], size: 0 }, journal: null };
}
