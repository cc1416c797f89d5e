import { createServer } from "node:http";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { parseArgs } from "node:util";
import { version } from "convex";
import type { GenericSchema, SchemaDefinition } from "convex/server";
import { convexTest } from "convex-test";
import { createAdmission } from "../../packages/embedded/admission/admission.ts";
import { machineClocks } from "../../packages/embedded/clock/backend-clock.ts";
import { createTokenVerifier } from "../../packages/embedded/compose/create-token-verifier.ts";
import { apiHandler } from "../../packages/embedded/http/api/api-handler.ts";
import { functionRoutes } from "../../packages/embedded/http/api/function-routes.ts";
import { listen } from "../../packages/embedded/http/listen/listen.ts";
import { createLog } from "../../packages/embedded/operations/log.ts";
import { findModules } from "../../packages/embedded/runtime/source/bundle-modules.ts";
import { Connections } from "../../packages/embedded/sync/connections.ts";
import { LiveQueries } from "../../packages/embedded/sync/queries/live-queries.ts";
import { MutationQueues } from "../../packages/embedded/sync/session/mutation-queues.ts";
import { hostCheck } from "../../packages/embedded/wire/host-check.ts";
import { sourceOf } from "../../packages/embedded/wire/request-source.ts";
import { convexTestRunner, engineWithoutSubscriptions } from "./convex-test-runner.ts";

type Module = { readonly default?: unknown };

/**
 * The embedded backend's HTTP and WebSocket front end on convex-test, with its database in memory. Takes the
 * arguments of the embedded backend that apply.
 */
async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      convex: { type: "string", default: "." },
      port: { type: "string", default: "0" },
      "site-port": { type: "string" },
      "with-parent": { type: "boolean", default: false },
    },
  });
  const runner = convexTestRunner(await load(values.convex));
  const engine = engineWithoutSubscriptions();
  const host = "127.0.0.1";
  const shared = {
    engine,
    runner,
    isAdminKey: () => false,
    tokens: createTokenVerifier(null),
    nextRequestId: () => "peer",
    sourceOf: sourceOf(false),
    admission: createAdmission(),
    log: createLog({ format: "text", level: "warn", write: (line) => console.error(line) }),
  };
  const isAllowedHost = hostCheck(host, []);
  const connections = new Connections({
    ...shared,
    live: new LiveQueries(shared),
    mutationQueues: new MutationQueues(),
    newestConnections: new Map(),
    graceMs: 0,
    clocks: machineClocks,
    maxConnections: 2_000,
    isAllowedHost,
  });
  const instanceName = "convex-test";
  const server = createServer(
    apiHandler({
      routes: [functionRoutes({ ...shared, waiting: { problem: null } })],
      httpActions: null,
      isAllowedHost,
      version,
      instanceName,
      log: shared.log,
      operations: () => Promise.resolve(null),
      page: () => null,
    }),
  );
  server.on("upgrade", (request, socket, head) => connections.upgrade(request, socket, head));
  const port = await listen(server, Number(values.port), host);
  console.log(JSON.stringify({ ready: true, url: `http://${host}:${port}` }));
  if (values["with-parent"]) process.stdin.on("close", () => process.exit(0)).resume();
}

async function load(folder: string) {
  const files = await findModules(folder);
  const modules = new Map(
    files.map(({ module, file }) => [
      `./${module}.js`,
      () => import(pathToFileURL(file).href) as Promise<Module>,
    ]),
  );
  const schema = (await import(pathToFileURL(join(folder, "schema.ts")).href)) as Module;
  // convex-test finds the root folder by the generated code, which these functions do not have.
  modules.set("./_generated/api.js", () => Promise.resolve({}));
  return convexTest(
    schema.default as SchemaDefinition<GenericSchema, boolean>,
    Object.fromEntries(modules) as Record<string, () => Promise<unknown>>,
  );
}

await main();
