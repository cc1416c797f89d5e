import { readFile } from "node:fs/promises";
import { z } from "zod";
import { replaceFile } from "../../store/replace-file.ts";

const whole = z.number().int().min(0);

const schema = z.object({
  sizeBytes: whole,
  pieceBytes: whole.min(1),
  /** The pieces that are here and verified, as far as there are hashes: see `bitsOf`. */
  done: z.string().max(8_192),
  /** The pieces that were begun: how far each came, the part file itself tells. */
  begun: z.array(whole).max(64),
  source: z.string().max(2_000),
  /** By which the server knows that its file is still the same one. */
  validator: z.string().max(1_000).nullable(),
  /** How often something came with a wrong hash, and when that was last. */
  failures: whole,
  failedAt: whole.nullable(),
});

/** What stands beside a part file. */
export type PartState = Readonly<z.infer<typeof schema>>;

/** Where it stands, by the part file's path. */
export function statePath(path: string): string {
  return `${path}.json`;
}

/** Null where there is none that can be understood: the download then begins anew. */
export async function loadPartState(path: string): Promise<PartState | null> {
  try {
    return schema.parse(JSON.parse(await readFile(path, "utf8")));
  } catch {
    return null;
  }
}

export async function savePartState(path: string, state: PartState): Promise<void> {
  await replaceFile(path, `${JSON.stringify(state)}\n`);
}
