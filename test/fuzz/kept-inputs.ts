import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Json } from "./target.ts";

const folder = join(import.meta.dirname, "seeds");

/** Inputs that failed once. They are in the repository, and every run tries them first. */
export function keptInputs(target: string): readonly Json[] {
  try {
    return JSON.parse(readFileSync(fileOf(target), "utf8")) as Json[];
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return [];
    throw error;
  }
}

/** Adds an input to the file of its target, unless it is there already. Returns the file's path. */
export function keepInput(target: string, input: Json): string {
  const inputs = keptInputs(target);
  const isNew = !inputs.some((kept) => JSON.stringify(kept) === JSON.stringify(input));
  mkdirSync(folder, { recursive: true });
  if (isNew) writeFileSync(fileOf(target), `${JSON.stringify([...inputs, input], null, 2)}\n`);
  return fileOf(target);
}

function fileOf(target: string): string {
  return join(folder, `${target}.json`);
}
