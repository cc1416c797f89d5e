import type { JSONValue } from "convex/values";
import { type FunctionPath, identifierOf, parseFunctionPath } from "../../names/function-path.ts";
import type { ComponentPath } from "../../names/table-name.ts";
import { cronProblem } from "../../scheduler/cron/cron-problems.ts";
import { type CronSpec, parseCrons } from "../../scheduler/cron/cron-spec.ts";
import { noSchema, parseSchema, type Schema } from "../checks/schema.ts";
import type { HttpRoute } from "../components/http-mounts.ts";
import { readRegisteredFunction, type RegisteredFunction } from "../contract/registered-function.ts";
import type { ModuleNamespaces } from "../isolate/worlds.ts";
import type { ModuleNamespace } from "../source/bundled-script.ts";

type HttpEndpoint = { readonly invokeHttpAction: (request: Request) => Promise<unknown> };

/** The part of the bundle's router that we call. */
type HttpRouter = {
  readonly getRoutes: () => readonly (readonly [path: string, method: string, endpoint: HttpEndpoint])[];
  readonly lookup: (path: string, method: string) => readonly [HttpEndpoint, string, string] | null;
};

/** The definitions in the modules of the app or of an installed component. */
export type LoadedModules = {
  /** The names of all modules. */
  readonly names: readonly string[];
  readonly functions: readonly RegisteredFunction[];
  readonly find: (path: FunctionPath) => RegisteredFunction | null;
  readonly hasModule: (module: string) => boolean;
  readonly schema: Schema;
  /** Null without a router. */
  readonly http: { readonly sharesWorld: boolean; readonly routes: readonly HttpRoute[] } | null;
  readonly crons: readonly CronSpec[];
  /** The default export of `auth.config.ts`; null without one. */
  readonly authConfig: JSONValue;
};

/** A special module has the wrong default export. */
class ModuleShapeError extends Error {
  override readonly name = "ModuleShapeError";
}

/** The module with the routes of HTTP actions. */
export const httpModule = "http";

/** With this export, a module says that it keeps no state between runs that would matter. Convex reads it, too. */
const reuseExport = "experimental_reuseContext";

/**
 * Reads the namespaces of a component's loaded modules, and adds its actions of other modules. Throws ModuleShapeError. The
 * result keeps no value of theirs, and no closure that captures them: each would keep all modules of the component.
 */
export function readModules(
  namespaces: ModuleNamespaces,
  component: ComponentPath,
  nodeActions: readonly RegisteredFunction[],
): LoadedModules {
  const functions = new Map(nodeActions.map((action) => [action.identifier, action]));
  for (const [module, namespace] of Object.entries(namespaces)) {
    const sharesWorld = reusesContext(namespace);
    for (const [name, value] of Object.entries(namespace)) {
      const registered = readRegisteredFunction({ component, module, name }, value, sharesWorld);
      if (registered !== null) functions.set(registered.identifier, registered);
    }
  }
  const schema = defaultOf(namespaces["schema"]);
  const crons = defaultOf(namespaces["crons"]);
  const find = (path: FunctionPath) => functions.get(identifierOf(path)) ?? null;
  const names = new Set(Object.keys(namespaces));
  return {
    names: Object.keys(namespaces),
    functions: [...functions.values()],
    find,
    hasModule: (module) => names.has(module),
    schema: schema === undefined ? noSchema : parseSchema(exportOf(schema, "schema.ts", "defineSchema(…)")),
    crons: crons === undefined ? [] : readCrons(exportOf(crons, "crons.ts", "cronJobs()"), component, find),
    http: readHttp(namespaces[httpModule]),
    authConfig: JSON.parse(JSON.stringify(defaultOf(namespaces["auth.config"]) ?? null)) as JSONValue,
  };
}

function defaultOf(namespace: ModuleNamespace | undefined): unknown {
  return namespace?.["default"];
}

function reusesContext(namespace: ModuleNamespace): boolean {
  return namespace[reuseExport] === true;
}

function readHttp(namespace: ModuleNamespace | undefined): LoadedModules["http"] {
  if (namespace === undefined || defaultOf(namespace) === undefined) return null;
  // A list that the router's own `map` makes would keep its world.
  const routes = Array.from(readRouter(namespace).getRoutes(), ([path, method]) => ({ path, method }));
  return { sharesWorld: reusesContext(namespace), routes };
}

function readCrons(
  exported: string,
  component: ComponentPath,
  find: LoadedModules["find"],
): readonly CronSpec[] {
  const crons = parseCrons(exported, component);
  for (const cron of crons) {
    const path = parseFunctionPath(cron.function, component);
    const problem = cronProblem(cron, path === null ? null : find(path));
    if (problem !== null) throw new ModuleShapeError(problem);
  }
  return crons;
}

function exportOf(value: unknown, file: string, maker: string): string {
  const exportable = value as { export?: unknown } | null;
  if (typeof exportable?.export !== "function") {
    throw new ModuleShapeError(`The default export of ${file} must come from ${maker}.`);
  }
  return (exportable.export as () => string)();
}

/** Returns the router that the module `http` exports. Throws ModuleShapeError. */
export function readRouter(namespace: ModuleNamespace): HttpRouter {
  const value = defaultOf(namespace);
  if (typeof value === "object" && value !== null && "isRouter" in value)
    return value as unknown as HttpRouter;
  throw new ModuleShapeError("The default export of http.ts must come from httpRouter().");
}
