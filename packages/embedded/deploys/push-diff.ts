import type { JSONValue } from "convex/values";
import type { ComponentPath } from "../names/table-name.ts";
import type { LoadedComponent, LoadedComponents } from "../runtime/bundle/loaded-components.ts";
import { canonicalJson } from "../values/canonical-json.ts";

type NamedIndex = { readonly name: string; readonly type: "database"; readonly fields: string[] };

export type IndexDiff = { readonly added_indexes: NamedIndex[]; readonly removed_indexes: NamedIndex[] };

/** The indexes that new code adds and removes, by component. */
export function indexDiffs(before: LoadedComponents, after: LoadedComponents): { [path: string]: IndexDiff } {
  return Object.fromEntries(
    pathsOf(before, after).map((path) => [path, indexDiff(before.get(path), after.get(path))]),
  );
}

/** The changes of a push, as the convex command prints them. */
export function pushDiff(before: LoadedComponents, after: LoadedComponents): JSONValue {
  return {
    authDiff: added([providersOf(before), providersOf(after)]),
    definitionDiffs: {},
    componentDiffs: Object.fromEntries(
      pathsOf(before, after).map((path) => [path, componentDiff(before.get(path), after.get(path))]),
    ),
  };
}

function componentDiff(before: LoadedComponent | null, after: LoadedComponent | null): JSONValue {
  const type = before === null ? "create" : after === null ? "unmount" : "modify";
  const cronsOf = (component: LoadedComponent | null) =>
    new Map((component?.modules.crons ?? []).map((cron) => [cron.identifier, canonicalJson(cron)]));
  const [old, present] = [cronsOf(before), cronsOf(after)];
  const crons = added([[...old.keys()], [...present.keys()]]);
  return {
    diffType: { type },
    moduleDiff: added([before?.modules.names ?? [], after?.modules.names ?? []]),
    udfConfigDiff: null,
    cronDiff: {
      added: crons.added,
      updated: [...present].filter(([name, cron]) => (old.get(name) ?? cron) !== cron).map(([name]) => name),
      deleted: crons.removed,
    },
    indexDiff: indexDiff(before, after),
    schemaDiff: null,
  };
}

function indexDiff(before: LoadedComponent | null, after: LoadedComponent | null): IndexDiff {
  const [old, present] = [indexesOf(before), indexesOf(after)];
  const isIn = (indexes: readonly NamedIndex[]) => {
    const known = new Set(indexes.map(canonicalJson));
    return (index: NamedIndex): boolean => known.has(canonicalJson(index));
  };
  const [wasThere, isThere] = [isIn(old), isIn(present)];
  return {
    added_indexes: present.filter((index) => !wasThere(index)),
    removed_indexes: old.filter((index) => !isThere(index)),
  };
}

function indexesOf(component: LoadedComponent | null): readonly NamedIndex[] {
  const { tables = [] } = component?.modules.schema ?? {};
  return tables.flatMap(({ name, indexes }) =>
    indexes.map((index) => ({
      name: `${name}.${index.name}`,
      type: "database" as const,
      fields: [...index.fields],
    })),
  );
}

function added([before, after]: readonly [readonly string[], readonly string[]]) {
  return {
    added: after.filter((each) => !before.includes(each)),
    removed: before.filter((each) => !after.includes(each)),
  };
}

function providersOf({ app }: LoadedComponents): readonly string[] {
  const { authConfig } = app.modules;
  const isObject = typeof authConfig === "object" && authConfig !== null && !Array.isArray(authConfig);
  const providers = isObject ? authConfig["providers"] : null;
  return Array.isArray(providers) ? providers.map((provider) => JSON.stringify(provider)) : [];
}

function pathsOf(before: LoadedComponents, after: LoadedComponents): readonly ComponentPath[] {
  return [...new Set([...before.all, ...after.all].map(({ path }) => path))];
}
