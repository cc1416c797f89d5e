import { createAdmission } from "./admission/admission.ts";
import { carryOver } from "./backup/full/carry-over.ts";
import type { Backend, BackendOptions } from "./compose/backend-options.ts";
import { bundleFolder } from "./compose/bundler.ts";
import { openData } from "./compose/data.ts";
import { openFunctions } from "./compose/functions.ts";
import { openListeners } from "./compose/listeners.ts";
import { serveNetwork } from "./compose/network.ts";
import { runOnStart } from "./compose/on-start.ts";
import { Shutdown } from "./compose/shutdown.ts";
import { type Scheduling, startScheduling } from "./compose/start-scheduling.ts";
import { startSweeper } from "./engine/transact/sweeper.ts";
import { watchClock } from "./operations/clock-watch.ts";
import { describeError, silent } from "./operations/log.ts";
import { ReadinessProbe } from "./operations/readiness.ts";
import { FunctionsLoadError } from "./runtime/code/loaded-code.ts";
import type { Bundle } from "./runtime/isolate/worlds.ts";
import { sweepSessionRequests } from "./sync/session-janitor.ts";

/**
 * Starts the whole backend. Rejects with PortInUseError, StoreError (data file), FunctionsLoadError (functions) or
 * SchemaMismatchError; nothing is left running then.
 */
export async function startBackend(options: BackendOptions): Promise<Backend> {
  const shutdown = new Shutdown();
  const { log = silent } = options;
  try {
    return { ...(await compose(options, shutdown)), close: () => shutdown.run() };
  } catch (error) {
    await shutdown
      .run()
      .catch((failure: unknown) => log.error("stop.failed", { message: describeError(failure) }));
    throw error;
  }
}

async function compose(options: BackendOptions, shutdown: Shutdown): Promise<Omit<Backend, "close">> {
  const { log = silent } = options;
  const readiness = new ReadinessProbe();
  shutdown.first(() => readiness.stopping());
  // Ports come first: functions may read the deployment's own URL while they load.
  const admission = createAdmission(options.anonymousLimits);
  const listeners = await openListeners(options, admission, readiness, shutdown);
  const bundle = await bundleOf(options.convexDir);
  const data = await openData(options, listeners, shutdown);
  const functions = openFunctions(options, data, shutdown);
  const { deployment, runtime, runner } = functions;
  const { engine, files } = data;
  await deployment.start(bundle, options.waitsForVariables ?? true);
  const onError = (error: unknown) => log.error("scheduler.failed", { message: describeError(error) });
  let markLoaded = (): void => undefined;
  const loaded = new Promise<void>((resolve) => (markLoaded = resolve));
  let scheduling: Scheduling | null = null;
  let hasBegun = false;
  shutdown.together(async () => scheduling?.close());
  // Before any client is answered.
  const beforeClients = async (): Promise<void> => {
    // Only now do all tables exist, so files without a row can be swept.
    files.janitor.start();
    await carryOver({ dataFile: options.dataFile, runner, log });
    await runOnStart(options.onStart ?? [], runner, log);
    hasBegun = true;
  };
  // Started last, so that due functions find the deployment complete; stopped first.
  const beginWork = async (): Promise<void> => {
    scheduling = await startScheduling({ engine, runtime, onError });
    readiness.started(engine);
    markLoaded();
  };
  deployment.afterward(async () => {
    if (hasBegun) return scheduling?.update();
    await beforeClients();
    await beginWork();
    log.info("functions.loaded", {});
  });
  if (deployment.problem === null) await beforeClients();
  await serveNetwork(options, { data, functions, listeners, admission }, readiness, shutdown);
  const closeJanitor = startSweeper({
    sweep: (signal) => sweepSessionRequests(engine, engine.now(), signal),
    onError: (error) => log.error("janitor.failed", { message: describeError(error) }),
  });
  shutdown.together(closeJanitor);
  shutdown.first(watchClock({ aheadMs: () => engine.stats().clockAheadMs, log }));
  if (deployment.problem === null) await beginWork();
  else {
    readiness.waiting(() => deployment.problem);
    log.error("functions.waiting", { message: deployment.problem });
  }
  const { url, siteUrl } = listeners;
  return { url, siteUrl, adminKey: options.adminKey, loaded };
}

/** Throws FunctionsLoadError. */
async function bundleOf(folder: string): Promise<Bundle> {
  const outcome = await bundleFolder(folder);
  if (outcome.kind === "failed") throw new FunctionsLoadError(outcome.message);
  return outcome.bundle;
}
