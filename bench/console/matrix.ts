import { readdir } from "node:fs/promises";
import { join } from "node:path";
import type { ValidatorJSON } from "convex/values";
import { roles } from "../../app/people/roles.ts";

const convex = join(import.meta.dirname, "../../convex");
const folder = join(convex, "console");

/**
 * The cells of the matrix that `convex/testing/rights.test.ts` and `foreignIds.test.ts` go through: each public function that asks for a right, with
 * each role, in its own and in another organization; and, with each role, another organization's id in each place of an id in
 * their arguments.
 */
export async function matrixCells(): Promise<number> {
  const files = (await readdir(folder, { recursive: true })).filter((name) => name.endsWith(".ts"));
  const modules = await Promise.all(
    files.map(async (name) => (await import(join(folder, name))) as Record<string, unknown>),
  );
  const { idPlaces } = (await import(join(convex, "testing/idPlaces.fixture.ts"))) as Places;
  const places = modules.flatMap((module) =>
    Object.values(module).flatMap((value) => {
      const { isPublic, right, exportArgs } = (value ?? {}) as Partial<Exported>;
      if (isPublic !== true || right === undefined || exportArgs === undefined) return [];
      const args = JSON.parse(exportArgs()) as ValidatorJSON;
      return [args.type === "object" ? idPlaces(args.value).length : 0];
    }),
  );
  return places.reduce((cells, idsIn) => cells + roles.length * (2 + idsIn), 0);
}

type Exported = { readonly isPublic: boolean; readonly right: string; readonly exportArgs: () => string };

type Places = { readonly idPlaces: (args: object) => readonly unknown[] };
