import { appComponent, type ComponentPath } from "../../names/table-name.ts";
import { checkValue } from "../checks/check-value.ts";
import { type ComponentMount, parentPath } from "./component-mounts.ts";
import type { EnvironmentVariables } from "./environment-variables.ts";

/** Returns the `process.env` of a component. */
export type ComponentVariables = (component: ComponentPath) => { readonly [name: string]: string };

/** Variables that the backend sets. Every component may know its own URLs. */
const systemVariables = ["CONVEX_CLOUD_URL", "CONVEX_SITE_URL"];

/**
 * The app sees all variables of the deployment. A component sees those that it declares and its parent passes.
 * The parent passes a constant or the present value of one of its own variables.
 */
export function componentVariables(
  mounts: readonly ComponentMount[],
  env: EnvironmentVariables,
): ComponentVariables {
  const byPath = new Map(mounts.map((mount) => [mount.path, mount]));
  const variablesOf: ComponentVariables = (component) => {
    if (component === appComponent) return env();
    const { variables = [] } = byPath.get(component) ?? {};
    const parent = variablesOf(parentPath(component));
    const passed = variables.map(({ name, source }) => {
      if (source === null) return [name, undefined] as const;
      return [name, source.kind === "value" ? source.value : parent[source.name]] as const;
    });
    const system = systemVariables.map((name) => [name, parent[name]] as const);
    const set = [...system, ...passed].flatMap(([name, value]) =>
      value === undefined ? [] : [[name, value]],
    );
    return Object.fromEntries(set) as { readonly [name: string]: string };
  };
  return variablesOf;
}

/** Returns the problem with a declared variable that is missing or invalid; null if all are valid. */
export function variablesProblem(
  mounts: readonly ComponentMount[],
  variablesOf: ComponentVariables,
): string | null {
  for (const { path, variables } of mounts) {
    const values = variablesOf(path);
    for (const { name, validator, optional } of variables) {
      const value = values[name];
      const owner = path === appComponent ? "The app" : `The component "${path}"`;
      if (value === undefined && !optional) {
        const advice =
          path === appComponent ? "Set it for the deployment." : "Pass it in `use(…, { env: { … } })`.";
        return `${owner} needs the environment variable ${name}, which is not set. ${advice}`;
      }
      const problem = value === undefined ? null : checkValue(validator, value, () => null);
      if (problem !== null) return `${owner} declares another type for the environment variable ${name}.`;
    }
  }
  return null;
}
