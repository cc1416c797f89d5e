import { createServer } from "node:http";
import { onTestFinished } from "vitest";
import { createAdmission } from "../admission/admission.ts";
import { machineClocks } from "../clock/backend-clock.ts";
import { createTokenVerifier } from "../compose/create-token-verifier.ts";
import { openEngine } from "../engine/engine.ts";
import { closeServer, listen } from "../http/listen/listen.ts";
import { createLog } from "../operations/log.ts";
import { bundleFunctions } from "../runtime/bundle/bundle.ts";
import type { FunctionRunner } from "../runtime/contract/function-runner.ts";
import { createFunctionRuntime } from "../runtime/create-function-runtime.ts";
import { testApp } from "../test-app.fixture.ts";
import { sourceOf } from "../wire/request-source.ts";
import { Connections, type ConnectionsOptions } from "./connections.ts";
import { LiveQueries } from "./queries/live-queries.ts";
import { MutationQueues } from "./session/mutation-queues.ts";

export const pingEveryMs = 30;

type Served = { readonly url: string; readonly connections: Connections; readonly logged: string[] };

/** Serves only a backend's WebSockets, over the test app's functions, for one test. */
export async function serve(
  options: Partial<ConnectionsOptions> = {},
  around: (runner: FunctionRunner) => FunctionRunner = (runner) => runner,
): Promise<Served> {
  const bundled = await bundleFunctions(testApp);
  if (bundled.kind === "failed") throw new Error(bundled.message);
  const engine = openEngine({ path: ":memory:" });
  const runner = around(createFunctionRuntime({ engine, bundle: bundled.bundle }));
  const shared = { engine, runner, nextRequestId: () => "r" };
  const logged: string[] = [];
  const connections = new Connections({
    ...shared,
    live: new LiveQueries(shared),
    mutationQueues: new MutationQueues(),
    newestConnections: new Map(),
    graceMs: 0,
    isAdminKey: () => false,
    tokens: createTokenVerifier(null),
    isAllowedHost: () => true,
    sourceOf: sourceOf(false),
    clocks: machineClocks,
    maxConnections: 2,
    admission: createAdmission(),
    pingEveryMs: pingEveryMs,
    log: createLog({ format: "text", level: "debug", write: (line) => logged.push(line) }),
    ...options,
  });
  const server = createServer().on("upgrade", (request, socket, head) =>
    connections.upgrade(request, socket, head),
  );
  const port = await listen(server, 0, "127.0.0.1");
  onTestFinished(async () => {
    await connections.close();
    await closeServer(server, 0);
    await engine.close();
  });
  return { url: `http://127.0.0.1:${port}`, connections, logged };
}
