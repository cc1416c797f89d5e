import { build } from "esbuild";
import { toScript } from "../source/bundle-script.ts";
import type { BundledScript } from "../source/bundled-script.ts";

/** The name of the module that the convex command gives to a query in its arguments. */
export const inlineModule = "testQuery";

export type InlineOutcome =
  | { readonly kind: "bundled"; readonly script: BundledScript }
  | { readonly kind: "failed"; readonly message: string };

/** The module that Convex offers to such a query. */
const wrappers = "convex:/_system/repl/wrappers.js";
const wrappersSource = `
  export { queryGeneric as query, internalQueryGeneric as internalQuery } from "convex/server";`;

/** Makes a script of one module with a query. It may import only Convex's wrappers. Rejects with esbuild's BuildFailure. */
export async function bundleInlineQuery(source: string): Promise<InlineOutcome> {
  const { outputFiles } = await build({
    stdin: { contents: source, sourcefile: `${inlineModule}.js`, loader: "js" },
    absWorkingDir: import.meta.dirname,
    outdir: "out",
    bundle: true,
    write: false,
    format: "esm",
    platform: "browser",
    target: "es2024",
    conditions: ["convex", "module"],
    sourcemap: "external",
    sourcesContent: false,
    logLevel: "silent",
    plugins: [
      {
        name: "wrappers",
        setup(pluginBuild) {
          pluginBuild.onResolve({ filter: /.*/ }, ({ path, importer }) => {
            if (path === wrappers) return { path, namespace: "wrappers" };
            if (importer !== `${inlineModule}.js`) return undefined;
            return { errors: [{ text: `A query in the command's arguments cannot import ${path}.` }] };
          });
          pluginBuild.onLoad({ filter: /.*/, namespace: "wrappers" }, () => ({
            contents: wrappersSource,
            resolveDir: import.meta.dirname,
            loader: "js",
          }));
        },
      },
    ],
  });
  const [map, code] = ["map", "js"].map(
    (end) => outputFiles.find(({ path }) => path.endsWith(`.${end}`))?.text,
  );
  const file = { path: `${inlineModule}.js`, source: code ?? "", sourceMap: map };
  return { kind: "bundled", script: await toScript([file]) };
}
