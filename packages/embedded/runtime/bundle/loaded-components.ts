import type { FunctionPath } from "../../names/function-path.ts";
import { appComponent, type ComponentPath, engineTableName } from "../../names/table-name.ts";
import type { CronSpec } from "../../scheduler/cron/cron-spec.ts";
import type { TableDefinition } from "../../values/keys/index-fields.ts";
import { noSchema, type Schema } from "../checks/schema.ts";
import type { ComponentMount } from "../components/component-mounts.ts";
import type { RegisteredFunction } from "../contract/registered-function.ts";
import type { ModuleNamespaces } from "../isolate/worlds.ts";
import { systemTablesOf } from "../tables/system-tables.ts";
import { type LoadedModules, readModules } from "./loaded-modules.ts";

/** An installed component, or the app. */
export type LoadedComponent = ComponentMount & { readonly modules: LoadedModules };

/** The app and all components that are installed in it. */
export class LoadedComponents {
  readonly app: LoadedComponent;
  readonly #byPath: ReadonlyMap<ComponentPath, LoadedComponent>;

  /** @param nodeActions the actions of "use node" modules. Throws ModuleShapeError. */
  constructor(
    mounts: readonly ComponentMount[],
    namespacesOf: (component: ComponentPath) => ModuleNamespaces,
    nodeActions: readonly RegisteredFunction[],
  ) {
    const loaded = mounts.map((mount) => ({
      ...mount,
      modules: readModules(
        namespacesOf(mount.path),
        mount.path,
        nodeActions.filter(({ path }) => path.component === mount.path),
      ),
    }));
    this.#byPath = new Map(loaded.map((component) => [component.path, component]));
    this.app = this.#byPath.get(appComponent) as LoadedComponent;
  }

  /** The app first. */
  get all(): readonly LoadedComponent[] {
    return [...this.#byPath.values()];
  }

  get crons(): readonly CronSpec[] {
    return this.all.flatMap(({ modules }) => modules.crons);
  }

  /** The tables of all components, as the engine names them. */
  get tables(): readonly TableDefinition[] {
    return this.all.flatMap(({ path, modules }) =>
      [...systemTablesOf(path), ...modules.schema.tables].map((table) => ({
        ...table,
        name: engineTableName({ component: path, table: table.name }),
      })),
    );
  }

  get(path: ComponentPath): LoadedComponent | null {
    return this.#byPath.get(path) ?? null;
  }

  find(path: FunctionPath): RegisteredFunction | null {
    return this.get(path.component)?.modules.find(path) ?? null;
  }

  hasModule({ component, module }: Pick<FunctionPath, "component" | "module">): boolean {
    return this.get(component)?.modules.hasModule(module) ?? false;
  }

  schemaOf(component: ComponentPath): Schema {
    return this.get(component)?.modules.schema ?? noSchema;
  }
}
