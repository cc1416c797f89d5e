import { readFile } from "node:fs/promises";
import * as z from "zod";
import { replaceFile } from "../../store/replace-file.ts";

const whole = z.number().int().min(0);

const schema = z.object({
  sizeBytes: whole,
  pieceBytes: whole.min(1),
  /** The complete pieces, verified if they have hashes. See `bitsOf`. */
  done: z.string().max(8_192),
  /** The begun pieces. The part file shows how far each came. */
  begun: z.array(whole).max(64),
  source: z.string().max(2_000),
  /** The server's validator of the file. */
  validator: z.string().max(1_000).nullable(),
  /** The number of wrong hashes, and the time of the last. */
  failures: whole,
  failedAt: whole.nullable(),
});

/** The state file beside a part file. */
export type PartState = Readonly<z.infer<typeof schema>>;

/** The path of the state file, from the part file's path. */
export function statePath(path: string): string {
  return `${path}.json`;
}

/** Resolves to null if the state is missing or invalid. The download then starts again. */
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
