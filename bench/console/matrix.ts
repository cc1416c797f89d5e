import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { roles } from "../../app/people/roles.ts";

const folder = join(import.meta.dirname, "../../convex/console");

/**
 * The cells of the matrix that `convex/testing/rights.test.ts` goes through: each public function that asks for a right, with
 * each role, in its own and in another organization.
 */
export async function matrixCells(): Promise<number> {
  const files = (await readdir(folder, { recursive: true })).filter((name) => name.endsWith(".ts"));
  const modules = await Promise.all(
    files.map(async (name) => (await import(join(folder, name))) as Record<string, unknown>),
  );
  const withRight = modules.flatMap((module) =>
    Object.values(module).filter((value) => {
      const { isPublic, right } = (value ?? {}) as { readonly isPublic?: boolean; readonly right?: string };
      return isPublic === true && right !== undefined;
    }),
  );
  return withRight.length * roles.length * 2;
}
