import * as z from "zod";

/** A software bill of materials in CycloneDX's JSON, as far as it is read here. Unknown fields are kept. */
export type Sbom = z.infer<typeof sbom>;
export const sbom = z.looseObject({
  bomFormat: z.literal("CycloneDX"),
  metadata: z.looseObject({ component: z.looseObject({ name: z.string() }) }),
  components: z.array(
    z.looseObject({
      "bom-ref": z.string(),
      hashes: z.array(z.object({ alg: z.string(), content: z.string() })).optional(),
      licenses: z.array(z.looseObject({})).optional(),
      properties: z.array(z.object({ name: z.string(), value: z.string() })).optional(),
    }),
  ),
});

export type Component = Sbom["components"][number];

/**
 * Adds what the installed program contains besides npm's runtime dependencies. Removes packages that are only in this
 * checkout, and the placeholders of packages that are not installed.
 */
export function shippedSbom(ofNpm: Sbom, added: readonly Component[]): Sbom {
  return {
    ...ofNpm,
    metadata: { ...ofNpm.metadata, component: { ...ofNpm.metadata.component, name: "gleaner" } },
    components: [...ofNpm.components.filter(isShipped), ...added],
  };
}

function isShipped({ "bom-ref": ref, properties = [] }: Component): boolean {
  // npm calls packages extraneous that package.json does not require, such as the Node of the scripts.
  const isExtraneous = properties.some(({ name }) => name === "cdx:npm:package:extraneous");
  return !isExtraneous && !ref.startsWith("empty-npm-package@");
}

/** Licenses that allow us to distribute a component with the program. */
const accepted: ReadonlySet<string> = new Set([
  "0BSD",
  "Apache-2.0",
  "BSD-2-Clause",
  "BSD-3-Clause",
  "BlueOak-1.0.0",
  "ISC",
  "MIT",
  "MIT-0",
  "Python-2.0",
  "Unlicense",
]);

/** One sentence for each component without a license that we accept, or without a hash. Our own packages need none. */
export function sbomProblems({ components }: Sbom): readonly string[] {
  return components.flatMap((component) => {
    const ref = component["bom-ref"];
    const licenses = licensesOf(component);
    const problems: string[] = [];
    if (licenses.length === 0) problems.push(`${ref} names no license.`);
    if (licenses.length > 0 && !licenses.some(isAccepted)) {
      problems.push(
        `${ref} has the license ${licenses.join(", ")}. Add it to the accepted ones or remove the package.`,
      );
    }
    if (!ref.startsWith("@gleaner/") && (component.hashes ?? []).length === 0) {
      problems.push(`${ref} has no hash in package-lock.json.`);
    }
    return problems;
  });
}

function licensesOf({ licenses = [] }: Component): readonly string[] {
  const named = z.object({
    expression: z.string().optional(),
    license: z.object({ id: z.string().optional(), name: z.string().optional() }).optional(),
  });
  return licenses.flatMap((entry) => {
    const { expression, license } = named.parse(entry);
    return [expression ?? license?.id ?? license?.name ?? ""].filter((text) => text !== "");
  });
}

/** An expression such as "(MIT OR GPL-3.0)" is accepted if one of its choices is, "A AND B" if both are. */
function isAccepted(expression: string): boolean {
  const plain = expression.replace(/[()]/g, " ").trim();
  return plain.split(/ OR /).some((choice) => choice.split(/ AND /).every((id) => accepted.has(id.trim())));
}
