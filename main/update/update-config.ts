import { readFile } from "node:fs/promises";
import * as z from "zod";
import { isLoopback } from "../../app/join-command.ts";
import { parseJson } from "../../app/json.ts";
import { publicKeyPattern } from "../../app/signatures/statements.ts";

/** The folder of releases. Without encryption only on this computer, for tests. */
const server = z
  .url({ protocol: /^https?$/ })
  .max(500)
  .refine((url) => url.startsWith("https:") || isLoopback(url), "has to begin with https://")
  .transform((url) => (url.endsWith("/") ? url : `${url}/`));

/** The server of new versions, and the key that signs them. The program's makers put this file into its package. */
const updateConfig = z.object({
  server: server.nullable(),
  /** The public key of Ed25519 in base64url. */
  key: z.string().regex(publicKeyPattern).nullable(),
  /** The names in the certificate that signs the program for Windows, which electron-updater compares. */
  publisherName: z.array(z.string().min(1).max(300)).max(10).nullable().default(null),
  lookEverySeconds: z.number().int().min(1).max(604_800).default(14_400),
});
export type UpdateConfig = z.infer<typeof updateConfig>;

/** Reads the package's file. Null if there is none. Throws an Error that names the wrong field. */
export async function readUpdateConfig(path: string): Promise<UpdateConfig | null> {
  const text = await readFile(path, "utf8").catch((error: unknown) => {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return null;
    throw error;
  });
  if (text === null) return null;
  const parsed = updateConfig.safeParse(parseJson(text));
  if (parsed.success) return parsed.data;
  throw new Error(`${path}: ${z.prettifyError(parsed.error)}`);
}
