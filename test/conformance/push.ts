import { join } from "node:path";
import { build } from "esbuild";

type Target = { readonly url: string; readonly adminKey: string };

/** TypeScript by file name, such as "app.ts". "schema.ts" has the schema. */
type Sources = { readonly [file: string]: string };

type Pushed = { readonly path: string; readonly source: string; readonly environment: "isolate" };

export type Push = {
  /** What `evaluate_schema` tells about the app's tables and indexes. */
  readonly evaluation: {
    readonly indexes: readonly { readonly name: string; readonly needsBackfill: boolean }[];
    readonly tables: readonly { readonly name: string; readonly staged: { readonly state: string } }[];
  };
  /** Runs the pushed code. */
  readonly finish: () => Promise<unknown>;
};

/** Sends code to the embedded backend as the convex command does, step by step. Rejects with the backend's refusal. */
export async function startPush(target: Target, sources: Sources): Promise<Push> {
  const files = await Promise.all(Object.entries(sources).map(bundled));
  const definition = await bundled([
    "convex.config.ts",
    'import { defineApp } from "convex/server"; export default defineApp();',
  ]);
  const appDefinition = {
    definition,
    schema: files.find(({ path }) => path === "schema.js") ?? null,
    changedModules: files.filter(({ path }) => path !== "schema.js"),
    unchangedModuleHashes: [],
  };
  const code = { dryRun: false, appDefinition, componentDefinitions: [] };
  const evaluated = (await post(target, "evaluate_schema", code)) as {
    readonly componentSchemaEvaluations: { readonly [component: string]: Push["evaluation"] };
  };
  const started = await post(target, "start_push", code);
  return {
    evaluation: evaluated.componentSchemaEvaluations[""]!,
    finish: () => post(target, "finish_push", { dryRun: false, startPush: started }),
  };
}

/** Pushes code and waits until it runs. */
export async function push(target: Target, sources: Sources): Promise<void> {
  await (await startPush(target, sources)).finish();
}

async function bundled([file, contents]: [file: string, contents: string]): Promise<Pushed> {
  const { outputFiles } = await build({
    stdin: { contents, loader: "ts", resolveDir: join(import.meta.dirname, "../..") },
    bundle: true,
    format: "esm",
    platform: "browser",
    write: false,
  });
  return { path: file.replace(/ts$/, "js"), source: outputFiles[0]!.text, environment: "isolate" };
}

async function post({ url, adminKey }: Target, step: string, body: object): Promise<unknown> {
  const response = await fetch(`${url}/api/deploy2/${step}`, {
    method: "POST",
    headers: { Authorization: `Convex ${adminKey}`, "Content-Type": "application/json" },
    body: JSON.stringify(body),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(text);
  return JSON.parse(text) as unknown;
}
