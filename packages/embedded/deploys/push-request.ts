import * as z from "zod";
import type { PushedCode, PushedDefinition, PushedFile } from "../runtime/bundle/pushed-code.ts";

const file = z.object({
  path: z.string().max(1_024),
  source: z.string(),
  sourceMap: z.string().nullish(),
  environment: z.enum(["isolate", "node"]),
});
const files = z.array(file).max(10_000);
/** Nothing installs packages here. */
const nodeDependencies = z
  .array(z.unknown())
  .max(0, "node.externalPackages cannot be pushed to this backend");

/** The body of `/api/deploy2/start_push` and `evaluate_schema`: code that the convex command has bundled. */
export const pushRequest = z.object({
  dryRun: z.boolean(),
  nodeDependencies: nodeDependencies.optional(),
  appDefinition: z.object({
    definition: file.nullable(),
    schema: file.nullable(),
    changedModules: files,
    /** We name no hashes, so the command sends all modules. */
    unchangedModuleHashes: z.array(z.unknown()).max(0, "must be empty"),
  }),
  componentDefinitions: z
    .array(
      z.object({
        definitionPath: z.string().min(1).max(4_096),
        definition: file,
        schema: file.nullable(),
        functions: files,
      }),
    )
    .max(1_000),
});

type File = z.output<typeof file>;

/** The pushed code of the app and of its components. */
export function codeOf({ appDefinition, componentDefinitions }: z.output<typeof pushRequest>): PushedCode {
  const { definition, schema, changedModules } = appDefinition;
  return [
    definitionOf("", definition, schema, changedModules),
    ...componentDefinitions.map((each) =>
      definitionOf(each.definitionPath, each.definition, each.schema, each.functions),
    ),
  ];
}

function definitionOf(
  path: string,
  config: File | null,
  schema: File | null,
  modules: readonly File[],
): PushedDefinition {
  const all = schema === null ? modules : [...modules, schema];
  return { path, config: config?.source ?? null, files: all.map(pushedFile) };
}

function pushedFile({ path, source, sourceMap, environment }: File): PushedFile {
  return { path, source, environment, sourceMap: sourceMap ?? undefined };
}
