import { createHmac } from "node:crypto";
import { version as convexVersion } from "convex";
import { openBackups } from "./backup/open-backups.ts";
import { Closing } from "./closing.ts";
import { createTokenVerifier } from "./auth/create-token-verifier.ts";
import { completeRestore } from "./backup/restore-swap.ts";
import { openEngine } from "./engine/engine.ts";
import type { Engine } from "./engine/types.ts";
import { adminKeyCheck } from "./http/admin-key.ts";
import { apiHandler, isUploadPath } from "./http/api-handler.ts";
import { conflictRoutes } from "./http/conflict-routes.ts";
import { hostNameIn, localOrigins, localUrl, originsAt } from "./http/endpoint.ts";
import { storageRoutes } from "./http/storage-routes.ts";
import { environmentRoutes } from "./http/environment-routes.ts";
import { EnvironmentVariables } from "./http/environment-variables.ts";
import { functionRoutes } from "./http/function-routes.ts";
import { hostCheck } from "./http/host-check.ts";
import { closeServer } from "./http/listen.ts";
import { openListener, type Listener } from "./http/listener.ts";
import { logRoutes } from "./http/log-routes.ts";
import { answerOperations } from "./http/operations-routes.ts";
import { newRequestId } from "./http/request-id.ts";
import { sourceOf } from "./http/request-source.ts";
import { siteHandler } from "./http/site-handler.ts";
import { startingHandler } from "./http/starting-handler.ts";
import type { StaticFolder } from "./http/static-path.ts";
import { FunctionLog } from "./operations/function-log.ts";
import { describeError, SILENT, type Log } from "./operations/log.ts";
import { logLine, logRun } from "./operations/log-runs.ts";
import { createMetrics } from "./operations/metrics.ts";
import { ReadinessProbe } from "./operations/readiness.ts";
import { countPending, fileBytes, storageBytes } from "./operations/stored-state.ts";
import { bundleApart } from "./runtime/bundle-apart.ts";
import type { Bundle } from "./runtime/bundle.ts";
import { executions, isTransactional } from "./runtime/execution.ts";
import type { FunctionObserver } from "./runtime/function-run.ts";
import { createFunctionRunner, FunctionsLoadError } from "./runtime/runner.ts";
import type { Latency } from "./runtime/services.ts";
import { startScheduling } from "./scheduler/start-scheduling.ts";
import { openFiles, type Files } from "./storage/open-files.ts";
import { Connections } from "./sync/connections.ts";
import { LiveQueries } from "./sync/live-queries.ts";
import { MutationLanes } from "./sync/mutation-lanes.ts";
import { startSessionJanitor } from "./sync/session-janitor.ts";
import { exportQueries } from "./system/export-queries.ts";
import { importQueries } from "./system/import-queries.ts";
import { tableQueries } from "./system/table-queries.ts";
import { conflictQueries } from "./system/conflict-queries.ts";
import { componentQueries } from "./system/component-queries.ts";
import { deploymentQueries } from "./system/deployment-queries.ts";
import { logQueries } from "./system/log-queries.ts";
import { withSystemFunctions } from "./system/system-functions.ts";

export type BackendOptions = {
  /** The folder with the functions. */
  readonly convexDir: string;
  /** The SQLite file; its folder must exist. */
  readonly dataFile: string;
  /** Where to listen; loopback unless told otherwise. */
  readonly host?: string;
  /** 0 takes a free port. */
  readonly port: number;
  readonly sitePort: number;
  /** The API's and the site's origins as clients reach them, where a proxy is in front; else where they listen. */
  readonly publicUrl?: string;
  readonly publicSiteUrl?: string;
  readonly adminKey: string;
  /** What functions see as `process.env` where the deployment's admin has set nothing else. */
  readonly env?: { readonly [name: string]: string };
  readonly staticFolders?: readonly StaticFolder[];
  /** Of one stored file, in bytes; 2 GiB unless told otherwise. */
  readonly maxFileBytes?: number;
  /** Host names to answer to on loopback, besides loopback's own: those of a proxy in front. */
  readonly allowedHosts?: readonly string[];
  /** Waiting that is added on purpose; none unless told otherwise. */
  readonly latency?: Latency;
  readonly log?: Log;
  /** Called once when the data file could not be written: nothing can be answered any more. */
  readonly onFailed?: (error: Error) => void;
  /** Closes this backend and starts it again, for a restore; without it, none can be done while it runs. */
  readonly restart?: (restoreId: string) => void;
};

export type Backend = {
  /** Where it listens, for programs on this machine. */
  readonly url: string;
  readonly siteUrl: string;
  readonly adminKey: string;
  readonly close: () => Promise<void>;
};

const DEPLOYMENT_NAME = "embedded";
const MAX_FILE_BYTES = 2 * 1024 ** 3;
const MAX_CONNECTIONS = 20_000;
/** How long running requests have to finish once the backend stops, in ms. */
const GRACE_MS = 3_000;

/**
 * Starts the whole backend. Rejects with PortInUseError, StoreError (the data file), FunctionsLoadError (the
 * functions) or SchemaMismatchError; nothing is left running then.
 */
export async function startBackend(options: BackendOptions): Promise<Backend> {
  const closing = new Closing();
  const { log = SILENT } = options;
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
  const { host = "127.0.0.1", publicUrl, publicSiteUrl, adminKey, log = SILENT } = options;
  let engine: Engine | null = null;
  // Registered first, so that it closes last: what is being answered needs it to the end.
  closing.afterwards(async () => engine?.close());
  let files: Files | null = null;
  closing.afterwards(async () => files?.close());
  const readiness = new ReadinessProbe();
  const stopping = new AbortController();
  closing.first(() => {
    readiness.stopping();
    stopping.abort();
  });
  // Ports come first: functions may ask for the deployment's own URL while they are loaded.
  const open = async (port: number, isUpload: (path: string) => boolean): Promise<Listener> => {
    const starting = startingHandler(readiness);
    const listener = await openListener({ host, port, starting, isUpload });
    closing.together(() => closeServer(listener.server, GRACE_MS));
    return listener;
  };
  const api = await open(options.port, isUploadPath);
  const site = await open(options.sitePort, () => false);
  const [url, siteUrl] = [localUrl(host, api.port), localUrl(host, site.port)];

  const bundle = await bundleOf(options.convexDir);
  const { dataFile, onFailed } = options;
  completeRestore(dataFile);
  engine = openEngine({ path: dataFile, ...(onFailed === undefined ? {} : { onFailed }) });
  const environment = new EnvironmentVariables(
    engine,
    { CONVEX_CLOUD_URL: publicUrl ?? url, CONVEX_SITE_URL: publicSiteUrl ?? siteUrl },
    options.env ?? {},
  );
  files = await openFiles({
    engine,
    dataFile,
    baseUrl: () => environment.all["CONVEX_CLOUD_URL"] ?? url,
    secret: createHmac("sha256", adminKey).update("upload URLs").digest("hex"),
    maxFileBytes: options.maxFileBytes ?? MAX_FILE_BYTES,
    onError: (error) => log.error("storage.failed", { message: describeError(error) }),
  });
  const { storage } = files;
  const functionLog = new FunctionLog();
  const watchers: FunctionObserver["onEnd"][] = [(run) => logRun(log, run), (run) => functionLog.ended(run)];
  const observer: FunctionObserver = {
    onEnd: (run) => watchers.forEach((watch) => watch(run)),
    onLine: (run, line) => {
      logLine(log, run, line);
      functionLog.printed(run, line);
    },
  };
  const runtime = createFunctionRunner({
    engine,
    bundle,
    env: () => {
      const execution = executions.getStore();
      const isRead = execution !== undefined && isTransactional(execution) && !execution.ended;
      return isRead ? environment.in(execution.transaction) : environment.all;
    },
    latency: options.latency ?? { readMs: 0, commitMs: 0 },
    secret: createHmac("sha256", adminKey).update("pagination cursors").digest("hex"),
    deploymentName: DEPLOYMENT_NAME,
    files: storage,
    observer,
  });
  const tokens = createTokenVerifier(runtime.authConfig);
  // Only now are all tables there: what no row has is swept.
  files.janitor.start();
  const runner = withSystemFunctions(engine, runtime, [
    deploymentQueries({ runner: runtime, environment }),
    conflictQueries(runtime),
    logQueries(functionLog),
    componentQueries(runtime),
    tableQueries(engine),
    exportQueries(),
    importQueries(),
  ]);
  const isAdminKey = adminKeyCheck(adminKey);
  const { store } = storage;
  const { janitor } = files;
  const backups = await openBackups({
    ...{ engine, dataFile, runtime, isAdminKey, log, deploymentName: DEPLOYMENT_NAME },
    restart: options.restart ?? null,
    files: { store, hold: () => janitor.hold() },
  });
  closing.afterwards(() => backups.close());
  const nextRequestId = newRequestId;
  const shared = { engine, runner, isAdminKey, tokens, nextRequestId, log };
  const publicNames = [publicUrl, publicSiteUrl].flatMap((each) => each ?? []).map(hostNameIn);
  const isAllowedHost = hostCheck(host, [...publicNames, ...(options.allowedHosts ?? [])]);

  const live = new LiveQueries({
    ...shared,
    runner: {
      runQuery: (call) => {
        metrics.onLiveQueryRun();
        return runner.runQuery(call);
      },
    },
  });
  const apiSourceOf = sourceOf(publicUrl !== undefined);
  const connections: Connections = new Connections({
    ...shared,
    sourceOf: apiSourceOf,
    live,
    onDropped: () => metrics.onDroppedClient(),
    lanes: new MutationLanes(),
    now: Date.now,
    maxConnections: MAX_CONNECTIONS,
    graceMs: GRACE_MS,
    isAllowedHost,
  });
  closing.together(() => connections.close());
  closing.first(startSessionJanitor(engine, log));
  const stored = { engine, components: runtime.componentPaths };
  const opened = engine;
  const metrics = createMetrics({
    engine: () => opened.stats(),
    conflicts: () => runtime.conflictStats(),
    webSockets: () => connections.size,
    liveQueries: () => live.size,
    scheduledPending: () => countPending(stored),
    storageBytes: storageBytes(stored),
    dataFileBytes: () => fileBytes(dataFile),
    walBytes: () => fileBytes(`${dataFile}-wal`),
  });
  closing.first(metrics.stop);
  watchers.push((run) => metrics.observer.onEnd(run));
  api.server.on("upgrade", (request, socket, head) => connections.upgrade(request, socket, head));
  api.serve(
    apiHandler({
      routes: [
        functionRoutes({ ...shared, sourceOf: apiSourceOf }),
        environmentRoutes({ ...shared, environment }),
        conflictRoutes({ ...shared, runtime }),
        logRoutes({ ...shared, functionLog, stopping: stopping.signal }),
        storageRoutes({ storage }),
        ...backups.routes,
      ],
      operations: (path, request) => answerOperations({ ...shared, readiness, metrics }, path, request),
      isAllowedHost,
      log,
      version: convexVersion,
      instanceName: DEPLOYMENT_NAME,
    }),
  );
  const { staticFolders = [] } = options;
  const apiOrigins = (hostHeader: string) =>
    publicUrl === undefined ? localOrigins(url, hostHeader) : originsAt(publicUrl);
  const siteSourceOf = sourceOf(publicSiteUrl !== undefined);
  site.serve(siteHandler({ ...shared, isAllowedHost, sourceOf: siteSourceOf, staticFolders, apiOrigins }));
  // Last, so that what is due finds the deployment complete; stopped first.
  const onError = (error: unknown) => log.error("scheduler.failed", { message: describeError(error) });
  closing.together(await startScheduling({ engine, runtime, onError }));
  readiness.started(engine);
  return { url, siteUrl, adminKey };
}

async function bundleOf(directory: string): Promise<Bundle> {
  const outcome = await bundleApart(directory);
  if (outcome.kind === "failed") throw new FunctionsLoadError(outcome.message);
  return outcome.bundle;
}
