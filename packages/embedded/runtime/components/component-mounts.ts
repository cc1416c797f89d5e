import { appComponent, type ComponentPath } from "../../names/table-name.ts";
import type { ValidatorJson } from "../checks/validator-json.ts";
import type { DefinitionAnalysis } from "./component-analysis.ts";

/** An environment variable that a component declares, with the source of its value. */
type DeclaredVariable = {
  readonly name: string;
  readonly validator: ValidatorJson;
  readonly optional: boolean;
  /** Null for the app's variables, which are set for the deployment, and for those that the parent did not pass. */
  readonly source:
    | { readonly kind: "value"; readonly value: string }
    | { readonly kind: "parent"; readonly name: string }
    | null;
};

/** The app, or one installation of a component. Two installations of one definition share code, not state. */
export type ComponentMount = {
  readonly path: ComponentPath;
  /** The folder of its definition, relative to the functions folder; "" is the app's. */
  readonly definition: string;
  readonly variables: readonly DeclaredVariable[];
  /** Path prefixes at which children answer HTTP requests. Each begins and ends with "/". */
  readonly httpMounts: readonly { readonly prefix: string; readonly child: ComponentPath }[];
  /** Path prefix of the app's own routes; null for no prefix. */
  readonly httpPrefix: string | null;
};

type MountsOutcome =
  | { readonly kind: "ok"; readonly mounts: readonly ComponentMount[] }
  | { readonly kind: "invalid"; readonly reason: string };

type Definitions = ReadonlyMap<string, DefinitionAnalysis>;

/** Prefix of a component's reference to a child, followed by the child's name. */
export const childReference = "_reference/childComponent/";

/** Lists the components that an app installs: the app first, and parents before children. */
export function mountsOf(definitions: Definitions): MountsOutcome {
  const mounts: ComponentMount[] = [];
  const problem = mount(definitions, mounts, appComponent, "", []);
  return problem === null ? { kind: "ok", mounts } : { kind: "invalid", reason: problem };
}

type EnvBindings = NonNullable<DefinitionAnalysis["childComponents"][number]["env"]>;

/** Adds a component and its descendants. Returns the first problem. */
function mount(
  definitions: Definitions,
  mounts: ComponentMount[],
  path: ComponentPath,
  definition: string,
  env: EnvBindings,
): string | null {
  const analysis = definitions.get(definition);
  if (analysis === undefined) return `The component "${path}" has no definition at ${definition}.`;
  const declared = analysis.envVars ?? [];
  const unknown = env.find(([name]) => !declared.some(([each]) => each === name));
  if (unknown !== undefined) {
    return `The component "${path}" is passed the variable ${unknown[0]}, which it does not declare.`;
  }
  const names = analysis.childComponents.map(({ name }) => name);
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice !== undefined) {
    return `Two components are installed as "${twice}" in "${path}": give one of them another name.`;
  }
  mounts.push({
    path,
    definition,
    variables: declared.map((each) => variableOf(each, env)),
    httpMounts: Object.entries(analysis.httpMounts).map(([prefix, reference]) => ({
      prefix,
      child: childPath(path, reference.slice(childReference.length)),
    })),
    httpPrefix: analysis.httpPrefix ?? null,
  });
  for (const child of analysis.childComponents) {
    const problem = mount(definitions, mounts, childPath(path, child.name), child.path, child.env ?? []);
    if (problem !== null) return problem;
  }
  return null;
}

/** Returns the path of a component's child: "pool" in the app, "pool/batch" in "pool". */
export function childPath(parent: ComponentPath, name: string): ComponentPath {
  return parent === appComponent ? name : `${parent}/${name}`;
}

/** Returns the parent of a component. The app has no parent and returns itself. */
export function parentPath(path: ComponentPath): ComponentPath {
  return path.slice(0, Math.max(path.lastIndexOf("/"), 0));
}

function variableOf(
  [name, { value, optional }]: NonNullable<DefinitionAnalysis["envVars"]>[number],
  env: EnvBindings,
): DeclaredVariable {
  const [, source] = env.find(([each]) => each === name) ?? [];
  return {
    name,
    validator: JSON.parse(value) as ValidatorJson,
    optional: optional === true,
    source:
      source === undefined
        ? null
        : source.type === "value"
          ? { kind: "value", value: source.value }
          : { kind: "parent", name: source.name },
  };
}
