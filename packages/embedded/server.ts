import type { Backend, BackendOptions } from "./compose/backend-options.ts";
import { Closing } from "./compose/closing.ts";
import { openData } from "./compose/data.ts";
import { loadFunctions } from "./compose/functions.ts";
import { openListeners } from "./compose/listeners.ts";
import { serveNetwork } from "./compose/network.ts";
import { startScheduling } from "./compose/start-scheduling.ts";
import { startSweeper } from "./engine/transact/sweeper.ts";
import { describeError, silent } from "./operations/log.ts";
import { ReadinessProbe } from "./operations/readiness.ts";
import { bundleApart } from "./runtime/bundle/bundle-apart.ts";
import type { Bundle } from "./runtime/isolate/isolate.ts";
import { FunctionsLoadError } from "./runtime/runner.ts";
import { sweepSessionRequests } from "./sync/session-janitor.ts";

/**
 * Starts the whole backend. Rejects with PortInUseError, StoreError (data file), FunctionsLoadError (functions) or
 * SchemaMismatchError; nothing is left running then.
 */
export async function startBackend(options: BackendOptions): Promise<Backend> {
  const closing = new Closing();
  const { log = silent } = options;
  try {
    return { ...(await compose(options, closing)), close: () => closing.run() };
  } catch (error) {
    await closing
      .run()
      .catch((failure: unknown) => log.error("stop.failed", { message: describeError(failure) }));
    throw error;
  }
}

async function compose(options: BackendOptions, closing: Closing): Promise<Omit<Backend, "close">> {
  const { log = silent } = options;
  const readiness = new ReadinessProbe();
  closing.first(() => readiness.stopping());
  // Ports come first: functions may read the deployment's own URL while they load.
  const listeners = await openListeners(options, readiness, closing);
  const bundle = await bundleOf(options.convexDir);
  const data = await openData(options, listeners, closing);
  const functions = loadFunctions(options, bundle, data);
  await serveNetwork(options, { data, functions, listeners }, readiness, closing);
  const { engine } = data;
  const { runtime } = functions;
  const closeJanitor = startSweeper({
    sweep: (signal) => sweepSessionRequests(engine, Date.now(), signal),
    onError: (error) => log.error("janitor.failed", { message: describeError(error) }),
  });
  closing.together(closeJanitor);
  // Started last, so that due functions find the deployment complete; stopped first.
  const onError = (error: unknown) => log.error("scheduler.failed", { message: describeError(error) });
  closing.together(await startScheduling({ engine, runtime, onError }));
  readiness.started(engine);
  const { url, siteUrl } = listeners;
  return { url, siteUrl, adminKey: options.adminKey };
}

async function bundleOf(directory: string): Promise<Bundle> {
  const outcome = await bundleApart(directory);
  if (outcome.kind === "failed") throw new FunctionsLoadError(outcome.message);
  return outcome.bundle;
}
