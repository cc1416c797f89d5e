import { createHmac, randomBytes } from "node:crypto";
import { createServer, type RequestListener, type Server } from "node:http";
import { version as convexVersion } from "convex";
import { openEngine } from "./engine/engine.ts";
import type { Engine } from "./engine/types.ts";
import { adminKeyCheck } from "./http/admin-key.ts";
import { apiHandler } from "./http/api-handler.ts";
import { hostNameIn, localOrigins, localUrl, originsAt } from "./http/endpoint.ts";
import { storageRoutes } from "./http/storage-routes.ts";
import { environmentRoutes } from "./http/environment-routes.ts";
import { EnvironmentVariables } from "./http/environment-variables.ts";
import { functionRoutes } from "./http/function-routes.ts";
import { hostCheck } from "./http/host-check.ts";
import { closeServer, listen } from "./http/listen.ts";
import { siteHandler } from "./http/site-handler.ts";
import type { StaticFolder } from "./http/static-path.ts";
import { bundleFunctions, type Bundle } from "./runtime/bundle.ts";
import { createFunctionRunner, FunctionsLoadError } from "./runtime/runner.ts";
import { startScheduling } from "./scheduler/start-scheduling.ts";
import { openFiles, type Files } from "./storage/open-files.ts";
import { Connections } from "./sync/connections.ts";
import { LiveQueries } from "./sync/live-queries.ts";
import { MutationLanes } from "./sync/mutation-lanes.ts";
import { startSessionJanitor } from "./sync/session-janitor.ts";
import { deploymentQueries } from "./system/deployment-queries.ts";
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
  /** What functions see as `process.env`. */
  readonly env?: { readonly [name: string]: string };
  readonly staticFolders?: readonly StaticFolder[];
  /** Of one stored file, in bytes; 2 GiB unless told otherwise. */
  readonly maxFileBytes?: number;
  /** Host names to answer to on loopback, besides loopback's own: those of a proxy in front. */
  readonly allowedHosts?: readonly string[];
  readonly log?: (line: string) => void;
  /** Called once when the data file could not be written: nothing can be answered any more. */
  readonly onFailed?: (error: Error) => void;
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
const GRACE_MS = 1_500;

/**
 * Starts the whole backend. Rejects with PortInUseError, StoreError (the data file), FunctionsLoadError (the
 * functions) or SchemaMismatchError; nothing is left running then.
 */
export async function startBackend(options: BackendOptions): Promise<Backend> {
  const undo: (() => Promise<void>)[] = [];
  const close = async (): Promise<void> => {
    const failures: unknown[] = [];
    for (const step of undo.splice(0).reverse()) await step().catch((error: unknown) => failures.push(error));
    if (failures.length > 0) throw new AggregateError(failures, "The backend did not stop cleanly");
  };
  try {
    return { ...(await compose(options, (step) => undo.push(step))), close };
  } catch (error) {
    await close().catch((failure: unknown) => options.log?.(describe(failure)));
    throw error;
  }
}

type OnClose = (step: () => Promise<void>) => void;

async function compose(options: BackendOptions, onClose: OnClose): Promise<Omit<Backend, "close">> {
  const { host = "127.0.0.1", publicUrl, publicSiteUrl, adminKey, log = () => undefined } = options;
  let engine: Engine | null = null;
  // Registered first, so that it closes last: what is being answered needs it to the end.
  onClose(async () => engine?.close());
  let files: Files | null = null;
  onClose(async () => files?.close());
  // Ports come first: functions may ask for the deployment's own URL while they are loaded.
  const api = await openListener(host, options.port, onClose);
  const site = await openListener(host, options.sitePort, onClose);
  const [url, siteUrl] = [localUrl(host, api.port), localUrl(host, site.port)];

  const bundle = await bundleOf(options.convexDir);
  const { dataFile, onFailed } = options;
  engine = openEngine({ path: dataFile, ...(onFailed === undefined ? {} : { onFailed }) });
  const environment = new EnvironmentVariables(
    { CONVEX_CLOUD_URL: publicUrl ?? url, CONVEX_SITE_URL: publicSiteUrl ?? siteUrl },
    options.env ?? {},
  );
  files = await openFiles({
    engine,
    dataFile,
    baseUrl: () => environment.all["CONVEX_CLOUD_URL"] ?? url,
    secret: createHmac("sha256", adminKey).update("upload URLs").digest("hex"),
    maxFileBytes: options.maxFileBytes ?? MAX_FILE_BYTES,
    onError: (error) => log(`file storage: ${describe(error)}`),
  });
  const { storage } = files;
  const runtime = createFunctionRunner({
    engine,
    bundle,
    env: () => environment.all,
    secret: createHmac("sha256", adminKey).update("pagination cursors").digest("hex"),
    deploymentName: DEPLOYMENT_NAME,
    files: storage,
    onLog: (identifier, line) => log(`[${identifier}] ${line}`),
  });
  // Only now are all tables there: what no row has is swept.
  files.janitor.start();
  const runner = withSystemFunctions(engine, runtime, [deploymentQueries({ runner: runtime, environment })]);
  const nextRequestId = () => randomBytes(8).toString("hex");
  const shared = { engine, runner, isAdminKey: adminKeyCheck(adminKey), nextRequestId, log };
  const publicNames = [publicUrl, publicSiteUrl].flatMap((each) => each ?? []).map(hostNameIn);
  const isAllowedHost = hostCheck(host, [...publicNames, ...(options.allowedHosts ?? [])]);

  const connections = new Connections({
    ...shared,
    live: new LiveQueries(shared),
    lanes: new MutationLanes(),
    now: Date.now,
    maxConnections: MAX_CONNECTIONS,
    isAllowedHost,
  });
  onClose(() => connections.close());
  const stopJanitor = startSessionJanitor(engine, log);
  onClose(() => {
    stopJanitor();
    return Promise.resolve();
  });
  api.server.on("upgrade", (request, socket, head) => connections.upgrade(request, socket, head));
  api.serve(
    apiHandler({
      routes: [
        functionRoutes(shared),
        environmentRoutes({ ...shared, environment }),
        storageRoutes({ storage }),
      ],
      isAllowedHost,
      log,
      version: convexVersion,
      instanceName: DEPLOYMENT_NAME,
    }),
  );
  const { staticFolders = [] } = options;
  const apiOrigins = (hostHeader: string) =>
    publicUrl === undefined ? localOrigins(url, hostHeader) : originsAt(publicUrl);
  site.serve(siteHandler({ runner, isAllowedHost, staticFolders, apiOrigins, log }));
  // Last, so that what is due finds the deployment complete; stopped first.
  const onError = (error: unknown) => log(`scheduler: ${describe(error)}`);
  onClose(await startScheduling({ engine, runtime, onError }));
  return { url, siteUrl, adminKey };
}

function describe(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}

async function bundleOf(directory: string): Promise<Bundle> {
  const outcome = await bundleFunctions(directory);
  if (outcome.kind === "failed") throw new FunctionsLoadError(outcome.message);
  return outcome.bundle;
}

type Listener = {
  readonly server: Server;
  readonly port: number;
  readonly serve: (listener: RequestListener) => void;
};

/** Binds a port at once; until `serve`, requests are told to come back. */
async function openListener(host: string, port: number, onClose: OnClose): Promise<Listener> {
  let listener: RequestListener = (_, response) => {
    response.writeHead(503, { "Retry-After": "1", "Content-Length": "0" }).end();
  };
  const server = createServer((request, response) => listener(request, response));
  const bound = await listen(server, port, host);
  onClose(() => closeServer(server, GRACE_MS));
  return {
    server,
    port: bound,
    serve: (next) => {
      listener = next;
    },
  };
}
