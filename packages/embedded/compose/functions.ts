import { createHmac } from "node:crypto";
import { FunctionLog } from "../operations/function-log.ts";
import { silent } from "../operations/log.ts";
import { logLine, logRun } from "../operations/log-runs.ts";
import { Usage } from "../operations/usage.ts";
import type { FunctionRunner } from "../runtime/contract/function-runner.ts";
import { createFunctionRuntime } from "../runtime/create-function-runtime.ts";
import { executions, isTransactional } from "../runtime/execution/execution.ts";
import type { FunctionObserver } from "../runtime/execution/function-run.ts";
import type { FunctionRuntime } from "../runtime/function-runtime.ts";
import {
  componentQueries,
  conflictQueries,
  deploymentQueries,
  exportQueries,
  importQueries,
  logQueries,
  usageQueries,
} from "../system/built-in-queries.ts";
import { withSystemFunctions } from "../system/system-functions.ts";
import { tableQueries } from "../system/table-queries.ts";
import type { BackendOptions } from "./backend-options.ts";
import type { Data } from "./data.ts";
import { Deployment } from "./deployment.ts";
import { nodeLoader } from "./node-loader.ts";
import type { Shutdown } from "./shutdown.ts";
import { unlessWaiting } from "./unless-waiting.ts";

export const deploymentName = "embedded";

export type Functions = {
  readonly runtime: FunctionRuntime;
  /** Runs the deployment's functions and the built-in ones. */
  readonly runner: FunctionRunner;
  /** The code that runs. */
  readonly deployment: Deployment;
  readonly functionLog: FunctionLog;
  /** Calls back at the end of each later run. */
  readonly watch: (onEnd: FunctionObserver["onEnd"]) => void;
};

/** Makes what runs functions over the data. The deployment's code is not loaded yet. */
export function openFunctions(options: BackendOptions, data: Data, shutdown: Shutdown): Functions {
  const { engine, environment, files } = data;
  const { log = silent } = options;
  const functionLog = new FunctionLog();
  const usage = new Usage();
  const watchers: FunctionObserver["onEnd"][] = [
    (run) => logRun(log, run, { refusals: options.logRefusals ?? false }),
    (run) => functionLog.ended(run),
    (run) => usage.ended(run),
  ];
  const runtime = createFunctionRuntime({
    engine,
    env: () => {
      const execution = executions.getStore();
      const isRead = execution !== undefined && isTransactional(execution) && !execution.ended;
      return isRead ? environment.in(execution.transaction) : environment.all;
    },
    latency: options.latency ?? { readMs: 0, commitMs: 0 },
    secret: createHmac("sha256", options.adminKey).update("pagination cursors").digest("hex"),
    deploymentName: deploymentName,
    files: files.storage,
    observer: {
      onStart: () => usage.started(),
      onEnd: (run) => watchers.forEach((watch) => watch(run)),
      onLine: (run, line) => {
        logLine(log, run, line);
        functionLog.printed(run, line);
      },
    },
  });
  const deployment = new Deployment(
    runtime,
    nodeLoader(() => environment.all, shutdown),
  );
  const runner = withSystemFunctions(engine, unlessWaiting(runtime, deployment, engine), [
    deploymentQueries({ runner: runtime, environment }),
    conflictQueries(runtime),
    logQueries(functionLog),
    usageQueries(usage, engine),
    componentQueries(runtime),
    tableQueries(engine),
    exportQueries(),
    importQueries(),
  ]);
  return { runtime, runner, deployment, functionLog, watch: (onEnd) => watchers.push(onEnd) };
}
