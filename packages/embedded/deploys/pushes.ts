import { randomUUID } from "node:crypto";
import type { JSONValue } from "convex/values";
import { engineTableName, parseEngineTableName } from "../names/table-name.ts";
import type { BundleOutcome } from "../runtime/bundle/bundle.ts";
import type { LoadedComponents } from "../runtime/bundle/loaded-components.ts";
import type { PushedCode } from "../runtime/bundle/pushed-code.ts";
import { SchemaMismatchError } from "../runtime/checks/schema.ts";
import type { Bundle } from "../runtime/isolate/worlds.ts";
import { analysisOf, treeOf } from "./push-analysis.ts";
import { type IndexDiff, indexDiffs, pushDiff } from "./push-diff.ts";
import { stagedConflict, stagedPredictions, type Stored } from "./staged-validators.ts";

/** Pushes that were started and not finished, such as those of `npx convex codegen`. */
const maxPending = 4;
/** Errors of the developer's code, by name. */
const developersErrors = new Set(["FunctionsLoadError", "ModuleShapeError", "SchemaDefinitionError"]);

/** Code that is ready to run. */
type Loaded = { readonly code: { readonly components: LoadedComponents } };

type Pending<Prepared> = {
  readonly prepared: Prepared;
  /** The variables with which the code was loaded. */
  readonly variables: string;
};

type PushesDeps<Prepared extends Loaded> = {
  readonly bundle: (code: PushedCode) => Promise<BundleOutcome>;
  /** The deployment's code. */
  readonly deployment: {
    readonly components: LoadedComponents;
    readonly prepare: (bundle: Bundle) => Promise<Prepared>;
    readonly check: (prepared: Prepared) => void;
    readonly deploy: (prepared: Prepared) => Promise<void>;
  };
  readonly engine: Stored;
  readonly variables: () => { readonly [name: string]: string };
  readonly version: string;
};

type Refused = { readonly kind: "refused"; readonly reason: string };
type Answered = { readonly kind: "ok"; readonly value: JSONValue };

/** Replaces the deployment's code by what the convex command pushes: start, wait for the schema, finish. */
export class Pushes<Prepared extends Loaded> {
  readonly #deps: PushesDeps<Prepared>;
  readonly #pending = new Map<string, Pending<Prepared>>();

  constructor(deps: PushesDeps<Prepared>) {
    this.#deps = deps;
  }

  /** Loads pushed code, and describes it. Nothing runs it yet. */
  async start(pushed: PushedCode): Promise<Answered | Refused> {
    const loadedWith = this.#variables();
    const loaded = await this.#load(pushed);
    if (loaded.kind === "refused") return loaded;
    const { deployment, engine, variables, version } = this.#deps;
    const { components } = loaded.prepared.code;
    const conflict = stagedConflict(deployment.components, components, engine);
    if (conflict !== null) return { kind: "refused", reason: conflict };
    const id = randomUUID();
    const [oldest] = this.#pending.keys();
    if (oldest !== undefined && this.#pending.size >= maxPending) this.#pending.delete(oldest);
    this.#pending.set(id, { prepared: loaded.prepared, variables: loadedWith });
    return ok({
      environmentVariables: { ...variables() },
      externalDepsId: null,
      componentDefinitionPackages: {},
      appAuth: [],
      analysis: analysisOf(components, version),
      app: treeOf(components),
      schemaChange: {
        allocatedComponentIds: {},
        // The command sends this back with its later requests.
        schemaIds: { push: id },
        indexDiffs: indexDiffs(deployment.components, components),
      },
    });
  }

  /**
   * Tells which indexes pushed code adds and removes, with the number of documents in them, and whether the stored documents
   * fit staged validators.
   */
  async evaluate(pushed: PushedCode): Promise<Answered | Refused> {
    const loaded = await this.#load(pushed);
    if (loaded.kind === "refused") return loaded;
    const { deployment, engine } = this.#deps;
    const before = deployment.components;
    const after = loaded.prepared.code.components;
    const diffs = Object.entries(indexDiffs(before, after));
    const known = new Set(before.all.map(({ definition }) => definition));
    return ok({
      componentSchemaEvaluations: Object.fromEntries(
        diffs.map(([path, diff]) => [
          path,
          {
            definitionPath: (after.get(path) ?? before.get(path))?.definition ?? "",
            schemaValidation: after.schemaOf(path).validators.size > 0,
            indexes: predictions(diff, (table) =>
              engine.countDocuments(engineTableName({ component: path, table })),
            ),
            ...stagedPredictions(before, after, path, engine),
          },
        ]),
      ),
      newComponentDefinitions: after.all
        .map(({ definition }) => definition)
        .filter((each) => !known.has(each)),
    });
  }

  /** Whether the stored documents fit the schema of a started push. */
  schemaStatus(id: string): JSONValue {
    const prepared = this.#find(id);
    if (prepared === null) return { type: "raceDetected" };
    try {
      this.#deps.deployment.check(prepared);
      return { type: "complete" };
    } catch (error) {
      if (!(error instanceof SchemaMismatchError)) throw error;
      const { component, table } = parseEngineTableName(error.misfit.table);
      return { type: "failed", error: error.message, componentPath: component, tableName: table };
    }
  }

  /** Runs the code of a started push. Null if it must be started again. @param isDry only tell what would change. */
  async finish(id: string, isDry: boolean): Promise<Answered | Refused | null> {
    const prepared = this.#find(id);
    if (prepared === null) return null;
    this.#pending.delete(id);
    const { deployment } = this.#deps;
    const diff = pushDiff(deployment.components, prepared.code.components);
    if (isDry) return ok(diff);
    try {
      await deployment.deploy(prepared);
    } catch (error) {
      if (!(error instanceof SchemaMismatchError)) throw error;
      return { kind: "refused", reason: error.message };
    }
    // Others were compared with the code that is replaced now.
    this.#pending.clear();
    return ok(diff);
  }

  /** A started push. Null if a variable has changed since, which its modules may have read. */
  #find(id: string): Prepared | null {
    const { prepared, variables } = this.#pending.get(id) ?? {};
    return prepared === undefined || variables !== this.#variables() ? null : prepared;
  }

  #variables(): string {
    return JSON.stringify(this.#deps.variables());
  }

  async #load(pushed: PushedCode): Promise<{ readonly kind: "ok"; readonly prepared: Prepared } | Refused> {
    const outcome = await this.#deps.bundle(pushed);
    if (outcome.kind === "failed") return { kind: "refused", reason: outcome.message };
    try {
      return { kind: "ok", prepared: await this.#deps.deployment.prepare(outcome.bundle) };
    } catch (error) {
      if (!(error instanceof Error && developersErrors.has(error.name))) throw error;
      return { kind: "refused", reason: error.message };
    }
  }
}

function predictions(diff: IndexDiff, count: (table: string) => number): JSONValue {
  const predicted = (indexes: IndexDiff["added_indexes"], change: "added" | "dropped"): JSONValue[] =>
    indexes.map((index) => {
      const numDocs = count(index.name.slice(0, index.name.indexOf(".")));
      return { ...index, change, needsBackfill: change === "added" && numDocs > 0, numDocs };
    });
  return [...predicted(diff.added_indexes, "added"), ...predicted(diff.removed_indexes, "dropped")];
}

function ok(value: JSONValue): Answered {
  return { kind: "ok", value };
}
