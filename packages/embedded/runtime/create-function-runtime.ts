import { randomBytes } from "node:crypto";
import type { Engine } from "../engine/model/types.ts";
import { Turns } from "../engine/transact/turns.ts";
import { appComponent } from "../names/table-name.ts";
import type { FileStorage } from "../storage/file-storage.ts";
import { LoadedComponents } from "./bundle/loaded-components.ts";
import { checkChangedTables } from "./checks/verified-tables.ts";
import { componentVariables, variablesProblem } from "./components/component-variables.ts";
import type { EnvironmentVariables } from "./components/environment-variables.ts";
import { describeCopy } from "./execution/function-failure.ts";
import { type FunctionObserver, unobserved } from "./execution/function-run.ts";
import { guardRejections } from "./execution/uncaught.ts";
import { FunctionRuntime } from "./function-runtime.ts";
import { type Bundle, ModuleLoadError, scriptNameOf, Worlds } from "./isolate/worlds.ts";
import { createCalls } from "./run/calls.ts";
import { ConflictStats } from "./run/conflict-stats.ts";
import { createStackMapper, type StackMapper } from "./source/stack-trace.ts";
import { createConvexGlobal } from "./syscalls/convex-global.ts";
import { CursorSealer } from "./syscalls/cursor.ts";
import { QueryPlans } from "./syscalls/query-plans.ts";
import type { Latency, Services } from "./syscalls/services.ts";

/**
 * Enough to share a flush. All run on one thread, so more would not end earlier. They would only overlap for longer, and
 * conflict more often.
 */
const mutationsAtOnce = 32;

export type RuntimeOptions = {
  readonly engine: Engine;
  readonly bundle: Bundle;
  /** The deployment's environment variables, `CONVEX_CLOUD_URL` and `CONVEX_SITE_URL` among them. */
  readonly env?: EnvironmentVariables;
  /** Key that seals pagination cursors. Cursors outlive the process only if the key does. */
  readonly secret?: string;
  readonly deploymentName?: string;
  /** Implements `ctx.storage`; without it functions cannot use file storage. */
  readonly files?: FileStorage;
  readonly latency?: Latency;
  readonly observer?: FunctionObserver;
};

/** The functions cannot be loaded. The message names the developer's file and line. */
export class FunctionsLoadError extends Error {
  override readonly name = "FunctionsLoadError";
}

/**
 * Loads a bundle and applies its schema to the engine. Throws FunctionsLoadError, ModuleShapeError, or
 * SchemaMismatchError if stored documents do not fit.
 */
export function createFunctionRuntime(options: RuntimeOptions): FunctionRuntime {
  const { engine, bundle } = options;
  const { observer = unobserved } = options;
  const mapStack = createStackMapper(sourceMapsOf(bundle));
  guardRejections(mapStack);
  const stats = new ConflictStats();
  let services: Services | null = null;
  const convex = createConvexGlobal(() => {
    if (services === null) throw new Error("The functions are not loaded yet.");
    return services;
  });
  const env = componentVariables(bundle.mounts, options.env ?? (() => ({})));
  const problem = variablesProblem(bundle.mounts, env);
  if (problem !== null) throw new FunctionsLoadError(problem);
  const worlds = new Worlds(bundle, convex, env, () => engine.now());
  const components = load(bundle, worlds, mapStack);
  applySchema(engine, components);
  services = {
    engine,
    schemaOf: (component) => components.schemaOf(component),
    cursors: new CursorSealer(options.secret ?? randomBytes(32).toString("hex")),
    plans: new QueryPlans(),
    files: options.files ?? null,
    latency: options.latency ?? { readMs: 0, commitMs: 0 },
    mutationTurns: new Turns(mutationsAtOnce),
    deploymentName: options.deploymentName ?? "embedded",
    find: (path) => components.find(path),
    hasModule: (path) => components.hasModule(path),
    worlds,
    mapStack,
    calls: createCalls(() => services as Services, stats, observer),
  };
  return new FunctionRuntime(services, components, stats, observer);
}

function load({ mounts }: Bundle, worlds: Worlds, mapStack: StackMapper): LoadedComponents {
  try {
    return new LoadedComponents(mounts, (component) => worlds.loadAll(component));
  } catch (error) {
    if (!(error instanceof ModuleLoadError)) throw error;
    const { message } = describeCopy(error.thrown, mapStack);
    throw new FunctionsLoadError(`The functions could not be loaded: ${message}`, { cause: error });
  }
}

function applySchema(engine: Engine, components: LoadedComponents): void {
  checkChangedTables(engine, components.all, () => engine.applySchema(components.tables));
}

function sourceMapsOf(bundle: Bundle): ReadonlyMap<string, string> {
  const scripts = [[appComponent, bundle] as const, ...bundle.components];
  return new Map(scripts.map(([definition, { sourceMap }]) => [scriptNameOf(definition), sourceMap]));
}
