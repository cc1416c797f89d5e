import { randomBytes } from "node:crypto";
import type { Engine } from "../engine/model/types.ts";
import { Turns } from "../engine/transact/turns.ts";
import type { FileStorage } from "../storage/file-storage.ts";
import { CurrentCode } from "./code/current-code.ts";
import { DeployGate } from "./code/deploy-gate.ts";
import type { EnvironmentVariables } from "./components/environment-variables.ts";
import { type FunctionObserver, unobserved } from "./execution/function-run.ts";
import { FunctionRuntime } from "./function-runtime.ts";
import type { Bundle } from "./isolate/worlds.ts";
import { createCalls } from "./run/calls.ts";
import { ConflictStats } from "./run/conflict-stats.ts";
import { createConvexGlobal } from "./syscalls/convex-global.ts";
import { CursorSealer } from "./syscalls/cursor.ts";
import { QueryPlans } from "./syscalls/query-plans.ts";
import type { Latency, Services } from "./syscalls/services.ts";
import { AnswerSeal } from "./tables/answer-seal.ts";

/**
 * Enough to share a flush. All run on one thread, so more would not end earlier. They would only overlap for longer, and
 * conflict more often.
 */
const mutationsAtOnce = 32;

export type RuntimeOptions = {
  readonly engine: Engine;
  /** Without one, there are no functions until the first deploy. */
  readonly bundle?: Bundle;
  /** The deployment's environment variables, `CONVEX_CLOUD_URL` and `CONVEX_SITE_URL` among them. */
  readonly env?: EnvironmentVariables;
  /** Key that seals pagination cursors and kept values of mutations. They outlive the process only if the key does. */
  readonly secret?: string;
  readonly deploymentName?: string;
  /** Implements `ctx.storage`; without it functions cannot use file storage. */
  readonly files?: FileStorage;
  readonly latency?: Latency;
  readonly observer?: FunctionObserver;
};

/**
 * Loads a bundle and applies its schema to the engine. Throws FunctionsLoadError, ModuleShapeError, or
 * SchemaMismatchError if stored documents do not fit.
 */
export function createFunctionRuntime(options: RuntimeOptions): FunctionRuntime {
  const { engine, bundle } = options;
  const { observer = unobserved, secret = randomBytes(32).toString("hex") } = options;
  const stats = new ConflictStats();
  let services: Services | null = null;
  const convex = createConvexGlobal(() => {
    if (services === null) throw new Error("The functions are not loaded yet.");
    return services;
  });
  const gate = new DeployGate();
  const code = new CurrentCode({ engine, gate, convex, env: options.env ?? (() => ({})) });
  if (bundle !== undefined) code.start(code.load(bundle));
  services = {
    engine,
    gate,
    schemaOf: (component) => code.components.schemaOf(component),
    cursors: new CursorSealer(secret),
    answers: new AnswerSeal(secret),
    plans: new QueryPlans(),
    files: options.files ?? null,
    latency: options.latency ?? { readMs: 0, commitMs: 0 },
    mutationTurns: new Turns(mutationsAtOnce),
    deploymentName: options.deploymentName ?? "embedded",
    find: (path) => code.components.find(path),
    hasModule: (path) => code.components.hasModule(path),
    get worlds() {
      return code.worlds;
    },
    get node() {
      return code.node?.runner ?? null;
    },
    get mapStack() {
      return code.mapStack;
    },
    calls: createCalls(() => services as Services, stats, observer),
  };
  return new FunctionRuntime(services, code, stats, observer);
}
