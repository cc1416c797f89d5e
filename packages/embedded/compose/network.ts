import { version as convexVersion } from "convex";
import type { Admission } from "../admission/admission.ts";
import { adminKeyCheck } from "../auth/admin-key.ts";
import { machineClocks } from "../clock/backend-clock.ts";
import { Pushes } from "../deploys/pushes.ts";
import { environmentRoutes } from "../http/admin/environment-routes.ts";
import { inlineQueryRoutes } from "../http/admin/inline-query-routes.ts";
import { logRoutes } from "../http/admin/log-routes.ts";
import { answerOperations, conflictRoutes } from "../http/admin/operations-routes.ts";
import { pushRoutes } from "../http/admin/push-routes.ts";
import { unsupportedRoutes } from "../http/admin/unsupported-routes.ts";
import { apiHandler } from "../http/api/api-handler.ts";
import { functionRoutes } from "../http/api/function-routes.ts";
import { storageRoutes } from "../http/api/storage-routes.ts";
import { siteHandler } from "../http/site/site-handler.ts";
import type { ComponentPath } from "../names/table-name.ts";
import { describeError, silent } from "../operations/log.ts";
import { createMetrics } from "../operations/metrics.ts";
import type { ReadinessProbe } from "../operations/readiness.ts";
import { countPending, fileBytes, storageBytes } from "../operations/stored-state.ts";
import type { Completed } from "../runtime/contract/function-runner.ts";
import { type FunctionRuntime, refusedRun } from "../runtime/function-runtime.ts";
import { Connections } from "../sync/connections.ts";
import { LiveQueries } from "../sync/queries/live-queries.ts";
import { MutationQueues } from "../sync/session/mutation-queues.ts";
import { adminActRecorder, adminCallRecorder, recordingAdminCalls } from "../system/admin-acts.ts";
import { hostNameIn, localOrigins, originsAt } from "../wire/endpoint.ts";
import { hostCheck } from "../wire/host-check.ts";
import { newRequestId } from "../wire/request-id.ts";
import { sourceOf } from "../wire/request-source.ts";
import type { BackendOptions } from "./backend-options.ts";
import { bundlePushedCode, bundleQuerySource } from "./bundler.ts";
import type { Data } from "./data.ts";
import { deploymentName, type Functions } from "./functions.ts";
import { graceMs, type Listeners } from "./listeners.ts";
import { openBackups } from "./open-backups.ts";
import type { Shutdown } from "./shutdown.ts";

const defaultMaxConnections = 20_000;

type Parts = {
  readonly data: Data;
  readonly functions: Functions;
  readonly listeners: Listeners;
  readonly admission: Admission;
};

/** Serves both ports: WebSockets, the API, HTTP actions and pages. */
export async function serveNetwork(
  options: BackendOptions,
  { data, functions, listeners, admission }: Parts,
  readiness: ReadinessProbe,
  shutdown: Shutdown,
): Promise<void> {
  const {
    host = "127.0.0.1",
    publicUrl,
    publicSiteUrl,
    dataFile,
    staticFolders = [],
    log = silent,
  } = options;
  const { engine, environment, files } = data;
  const { runtime, runner, deployment, functionLog } = functions;
  const { tokens } = deployment;
  const { api, site, url } = listeners;
  const stopping = new AbortController();
  shutdown.first(() => stopping.abort());

  const isAdminKey = adminKeyCheck(options.adminKey);
  const apiSourceOf = sourceOf(publicUrl !== undefined);
  const record = adminActRecorder({ runner, log, now: Date.now });
  const recordCall = adminCallRecorder(record);
  const recording = { record, sourceOf: apiSourceOf };
  const backups = await openBackups({
    ...recording,
    engine,
    dataFile,
    runtime,
    isAdminKey,
    log,
    deploymentName: deploymentName,
    restart: options.restart ?? null,
    files: { store: files.storage.store, hold: () => files.janitor.hold() },
  });
  shutdown.afterward(() => backups.close());

  const publicNames = [publicUrl, publicSiteUrl].flatMap((each) => each ?? []).map(hostNameIn);
  const isAllowedHost = hostCheck(host, [...publicNames, ...(options.allowedHosts ?? [])]);
  const shared = {
    engine,
    runner: recordingAdminCalls(runner, recordCall),
    isAdminKey,
    isAllowedHost,
    tokens,
    admission,
    nextRequestId: newRequestId,
    log,
  };

  const live = new LiveQueries({
    runner: {
      runQuery: (call) => {
        metrics.onLiveQueryRun();
        return runner.runQuery(call);
      },
    },
    engine,
    nextRequestId: newRequestId,
  });
  const connections: Connections = new Connections({
    ...shared,
    sourceOf: apiSourceOf,
    live,
    onWatch: (query, source) => {
      recordCall(query, "read", source).catch((error: unknown) =>
        log.error("admin-act.not-recorded", { message: describeError(error) }),
      );
    },
    onDropped: () => metrics.onDroppedClient(),
    mutationQueues: new MutationQueues(),
    newestConnections: new Map(),
    clocks: machineClocks,
    maxConnections: options.maxConnections ?? defaultMaxConnections,
    graceMs: graceMs,
  });
  shutdown.together(() => connections.close());
  const stored = { engine, components: () => runtime.componentPaths };
  const metrics = createMetrics({
    engine: () => engine.stats(),
    conflicts: () => runtime.conflictStats(),
    webSockets: () => connections.size,
    liveQueries: () => live.size,
    scheduledPending: () => countPending(stored),
    storageBytes: storageBytes(stored),
    dataFileBytes: () => fileBytes(dataFile),
    anonymousBytes: () => admission.budget.used,
    refusals: admission.refusals,
    walBytes: () => fileBytes(`${dataFile}-wal`),
  });
  shutdown.first(metrics.stop);
  functions.watch((run) => metrics.observer.onEnd(run));

  const pushes = new Pushes({
    deployment,
    engine,
    bundle: bundlePushedCode,
    variables: () => environment.all,
    version: convexVersion,
  });
  const siteOptions = {
    ...shared,
    hasHttpActions: (request: Request) => runtime.hasHttpActions(request),
    apiOrigins: (hostHeader: string, isTls: boolean) =>
      publicUrl === undefined ? localOrigins(url, hostHeader, isTls) : originsAt(publicUrl),
    stopping: stopping.signal,
  };
  api.onUpgrade((request, socket, head) => connections.upgrade(request, socket, head));
  api.serve(
    apiHandler({
      routes: [
        functionRoutes({ ...shared, sourceOf: apiSourceOf, waiting: deployment }),
        environmentRoutes({ ...shared, ...recording, environment, onUpdated: () => deployment.reload() }),
        pushRoutes({
          ...shared,
          ...recording,
          pushes,
          version: convexVersion,
          urls: () => deploymentUrls(environment.all),
        }),
        inlineQueryRoutes({ ...shared, ...recording, runSource: (...query) => runSource(runtime, ...query) }),
        conflictRoutes({ ...shared, runtime }),
        logRoutes({ ...shared, functionLog, stopping: stopping.signal }),
        storageRoutes({ storage: files.storage, now: () => engine.now() }),
        ...backups.routes,
        unsupportedRoutes(shared),
      ],
      // Pages stay on the site: the API's origin is not theirs.
      httpActions: siteHandler({ ...siteOptions, sourceOf: apiSourceOf, staticFolders: [] }),
      operations: (path, request) => answerOperations({ ...shared, readiness, metrics }, path, request),
      isAllowedHost,
      page: () => {
        const [folder] = staticFolders;
        return folder === undefined
          ? null
          : `${deploymentUrls(environment.all).convexSiteUrl}${folder.path}/`;
      },
      log,
      version: convexVersion,
      instanceName: deploymentName,
    }),
  );
  site.serve(siteHandler({ ...siteOptions, sourceOf: sourceOf(publicSiteUrl !== undefined), staticFolders }));
}

function deploymentUrls(variables: { readonly [name: string]: string }) {
  return {
    convexCloudUrl: variables["CONVEX_CLOUD_URL"] ?? "",
    convexSiteUrl: variables["CONVEX_SITE_URL"] ?? "",
  };
}

async function runSource(
  runtime: Pick<FunctionRuntime, "runInline">,
  source: string,
  component: ComponentPath,
  requestId: string,
): Promise<Completed> {
  const bundled = await bundleQuerySource(source);
  if (bundled.kind === "bundled") return runtime.runInline(bundled.script, component, requestId);
  return refusedRun(requestId, bundled.message);
}
