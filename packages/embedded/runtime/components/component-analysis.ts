import * as z from "zod";

/** The description that `defineApp` or `defineComponent` exports. It is parsed, since a config may be any code. */
export type DefinitionAnalysis = z.infer<typeof analysis>;

const namePattern = /^[a-zA-Z_][a-zA-Z0-9_]*$/;

const envSource = z.discriminatedUnion("type", [
  z.object({ type: z.literal("value"), value: z.string() }),
  z.object({ type: z.literal("envVar"), name: z.string() }),
]);

const child = z.object({
  name: z
    .string()
    .regex(namePattern, {
      error:
        "A component's name may only contain letters, digits and underscores, and not begin with a digit",
    })
    .refine((name) => !(name in Object.prototype), {
      error: "A component cannot be named like a property of every object, such as __proto__",
    }),
  /** The folder of the child's definition, relative to the functions folder. */
  path: z.string(),
  env: z.array(z.tuple([z.string(), envSource])).nullish(),
});

const envDeclaration = z.tuple([
  z.string(),
  z.object({ value: z.string(), optional: z.boolean().optional() }),
]);

const analysis = z.object({
  childComponents: z.array(child),
  /** Maps a path prefix that ends with "/" to `_reference/childComponent/NAME`. */
  httpMounts: z.record(z.string(), z.string()),
  httpPrefix: z.string().optional(),
  envVars: z.array(envDeclaration).optional(),
});

type AnalysisOutcome =
  | { readonly kind: "ok"; readonly analysis: DefinitionAnalysis }
  | { readonly kind: "invalid"; readonly reason: string };

/** Parses the result of a definition's `export()`. */
export function parseAnalysis(exported: unknown): AnalysisOutcome {
  const parsed = analysis.safeParse(exported);
  return parsed.success
    ? { kind: "ok", analysis: parsed.data }
    : { kind: "invalid", reason: z.prettifyError(parsed.error) };
}
