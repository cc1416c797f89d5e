import type { JSONValue } from "convex/values";
import { appComponent, type ComponentPath } from "../names/table-name.ts";
import type { LoadedComponent, LoadedComponents } from "../runtime/bundle/loaded-components.ts";
import { noSchema, type Schema } from "../runtime/checks/schema.ts";
import { parentPath } from "../runtime/components/component-mounts.ts";
import type { RegisteredFunction } from "../runtime/contract/registered-function.ts";

/** Describes code for the convex command, which generates types from it. */
export function analysisOf(
  components: LoadedComponents,
  serverVersion: string,
): { [path: string]: JSONValue } {
  const byDefinition = new Map(components.all.map((component) => [component.definition, component]));
  const udfConfig = { serverVersion, importPhaseRngSeed: null, importPhaseUnixTimestamp: null };
  return Object.fromEntries(
    [...byDefinition].map(([path, component]) => [
      path,
      {
        definition: definitionOf(components, component),
        schema: schemaJson(component.modules.schema),
        functions: modulesJson(component),
        udfConfig,
      },
    ]),
  );
}

/** The tree of installed components. */
export function treeOf(components: LoadedComponents, path: ComponentPath = appComponent): JSONValue {
  const component = components.get(path) as LoadedComponent;
  return {
    definitionPath: component.definition,
    componentPath: path,
    args: {},
    childComponents: Object.fromEntries(
      childrenOf(components, path).map(({ path: child }) => [nameOf(child), treeOf(components, child)]),
    ),
    httpRoutes: { httpModuleRoutes: null, mounts: component.httpMounts.map(({ prefix }) => prefix) },
    exports: {},
  };
}

function definitionOf(components: LoadedComponents, component: LoadedComponent): JSONValue {
  const { path, definition, variables, httpMounts, modules } = component;
  const type =
    path === appComponent ? { type: "app" } : { type: "childComponent", name: nameOf(path), args: [] };
  return {
    path: definition,
    definitionType: type,
    childComponents: childrenOf(components, path).map((child) => ({
      name: nameOf(child.path),
      path: child.definition,
      env: null,
    })),
    httpMounts: Object.fromEntries(
      httpMounts.map(({ prefix, child }) => [prefix, `_reference/childComponent/${nameOf(child)}`]),
    ),
    exports: { type: "branch", branch: path === appComponent ? [] : exportsOf(modules.functions) },
    envVars: variables.map(({ name, validator, optional }) => [
      name,
      { type: "value", value: JSON.stringify(validator), optional },
    ]),
  };
}

type Exports = { [name: string]: Exports | string };

/** A component exports its public functions, by module. */
function exportsOf(functions: readonly RegisteredFunction[]): JSONValue {
  const root: Exports = {};
  for (const { path, visibility } of functions) {
    if (visibility !== "public") continue;
    let branch = root;
    for (const part of path.module.split("/")) branch = (branch[part] ??= {}) as Exports;
    branch[path.name] = `_reference/function/${path.module}:${path.name}`;
  }
  return branchOf(root);
}

function branchOf(exports: Exports): JSONValue {
  return Object.entries(exports).map(([name, value]) => [
    name,
    typeof value === "string" ? { type: "leaf", leaf: value } : { type: "branch", branch: branchOf(value) },
  ]);
}

function modulesJson({ modules }: LoadedComponent): JSONValue {
  return Object.fromEntries(
    modules.names.map((module) => [
      `${module}.js`,
      {
        functions: modules.functions.filter(({ path }) => path.module === module).map(functionJson),
        httpRoutes: null,
        cronSpecs: null,
        sourceMapped: null,
      },
    ]),
  );
}

function functionJson({ path, type, visibility, args, returns }: RegisteredFunction): JSONValue {
  return {
    name: path.name,
    pos: null,
    udfType: type,
    visibility: { kind: visibility },
    args: JSON.stringify(args),
    returns: returns === null ? null : JSON.stringify(returns),
  };
}

function schemaJson(schema: Schema): JSONValue {
  if (schema === noSchema) return null;
  return {
    tables: schema.tables.map(({ name, indexes }) => ({
      tableName: name,
      indexes: indexes.map((index) => ({ indexDescriptor: index.name, fields: [...index.fields] })),
      documentType: (schema.validators.get(name) ?? { type: "any" }) as unknown as JSONValue,
    })),
    schemaValidation: schema.validators.size > 0,
  };
}

function childrenOf(components: LoadedComponents, path: ComponentPath): readonly LoadedComponent[] {
  return components.all.filter((each) => each.path !== appComponent && parentPath(each.path) === path);
}

function nameOf(path: ComponentPath): string {
  return path.slice(path.lastIndexOf("/") + 1);
}
