import * as z from "zod";
import { parseJson } from "../json.ts";

/** A file of a repository that devices can run. */
export type RepositoryFile = { readonly path: string; readonly sizeBytes: number };

const maxFiles = 40;

/** The hub's list of a repository's files. */
const tree = z.array(
  z.object({ type: z.string(), path: z.string().max(500), size: z.number().nonnegative().optional() }),
);
/** Devices load one file, and a projector is no model. */
const isPart = (path: string): boolean => /-\d{5}-of-\d{5}\.gguf$/i.test(path);
const isProjector = (path: string): boolean => /(^|\/)mmproj/i.test(path);

/** The files of the hub's list that devices can run, the smallest first. Null if it is no such list. */
export function runnableFiles(list: string): readonly RepositoryFile[] | null {
  const parsed = tree.safeParse(parseJson(list));
  if (!parsed.success) return null;
  return parsed.data
    .filter(
      ({ type, path }) => type === "file" && /\.gguf$/i.test(path) && !isPart(path) && !isProjector(path),
    )
    .map(({ path, size = 0 }) => ({ path, sizeBytes: size }))
    .sort((a, b) => a.sizeBytes - b.sizeBytes)
    .slice(0, maxFiles);
}
