import { randomBytes } from "node:crypto";
import type { Engine, TableDefinition } from "../engine/types.ts";
import type { Bundle } from "./bundle.ts";
import { ConflictStats } from "./conflict-stats.ts";
import { CursorSealer } from "./cursor.ts";
import { describeThrown } from "./function-failure.ts";
import { BUNDLE_SCRIPT, loadBundle, ModuleLoadError } from "./isolate.ts";
import type { EnvironmentVariables } from "./environment-variables.ts";
import { readModules, type LoadedModules } from "./loaded-modules.ts";
import { installRejectionGuard } from "./rejection-guard.ts";
import { BundleRunner } from "./bundle-runner.ts";
import { createCalls } from "./calls.ts";
import { checkStoredDocuments, type Schema } from "./schema.ts";
import type { Latency, Services } from "./services.ts";
import { createStackMapper } from "./stack-trace.ts";
import { createConvexGlobal } from "./syscalls/convex-global.ts";
import { SYSTEM_TABLES } from "./system-tables.ts";
import type { FunctionRuntime } from "./function-runtime.ts";

export type RunnerOptions = {
  readonly engine: Engine;
  readonly bundle: Bundle;
  /** The deployment's environment variables, `CONVEX_CLOUD_URL` and `CONVEX_SITE_URL` among them. */
  readonly env?: EnvironmentVariables;
  /** Seals pagination cursors; must outlive the process for cursors to do so. */
  readonly secret?: string;
  readonly deploymentName?: string;
  readonly latency?: Latency;
  /** Told of each line that a function logs, once the function has ended. */
  readonly onLog?: (identifier: string, line: string) => void;
};

/** The functions cannot be loaded. The message names the developer's file and line. */
export class FunctionsLoadError extends Error {
  override readonly name = "FunctionsLoadError";
}

/**
 * Loads a bundle and applies its schema to the engine. Throws FunctionsLoadError, ModuleShapeError, or
 * SchemaMismatchError where stored documents do not fit.
 */
export function createFunctionRunner(options: RunnerOptions): FunctionRuntime {
  const { engine, bundle } = options;
  installRejectionGuard();
  const mapStack = createStackMapper(BUNDLE_SCRIPT, bundle.sourceMap);
  const stats = new ConflictStats();
  let services: Services | null = null;
  const convex = createConvexGlobal(() => {
    if (services === null) throw new Error("The database cannot be used while modules are loaded.");
    return services;
  });
  const modules = load(bundle, convex, options.env ?? (() => ({})), mapStack);
  applySchema(engine, modules.schema);
  services = {
    engine,
    schema: modules.schema,
    cursors: new CursorSealer(options.secret ?? randomBytes(32).toString("hex")),
    latency: options.latency ?? { readMs: 0, commitMs: 0 },
    deploymentName: options.deploymentName ?? "embedded",
    find: modules.find,
    mapStack,
    calls: createCalls(() => services as Services, stats),
  };
  return new BundleRunner(services, modules, stats, options.onLog ?? (() => {}));
}

function load(
  bundle: Bundle,
  convex: ReturnType<typeof createConvexGlobal>,
  env: EnvironmentVariables,
  mapStack: ReturnType<typeof createStackMapper>,
): LoadedModules {
  try {
    return readModules(loadBundle(bundle, convex, env));
  } catch (error) {
    if (!(error instanceof ModuleLoadError)) throw error;
    const { message } = describeThrown(error.thrown, mapStack);
    throw new FunctionsLoadError(`The functions could not be loaded: ${message}`, { cause: error.thrown });
  }
}

function applySchema(engine: Engine, schema: Schema): void {
  checkStoredDocuments(engine, schema);
  const tables: readonly TableDefinition[] = [...SYSTEM_TABLES, ...schema.tables];
  engine.applySchema(tables);
}
