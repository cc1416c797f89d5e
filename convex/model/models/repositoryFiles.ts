import { z } from "zod";
import { linkInto, type Repository } from "./modelLink.ts";
import { Failed, failureWords, firstBytes, type RemoteOptions, request } from "./remoteModel.ts";

/** A file of a repository that devices can run. `link`: reads it. */
export type RepositoryFile = { readonly link: string; readonly file: string; readonly sizeBytes: number };

export type FilesOutcome =
  | { readonly kind: "files"; readonly files: readonly RepositoryFile[] }
  | { readonly kind: "failed"; readonly why: string };

/** A list of some thousand files. */
const maxBytes = 2 ** 21;
const maxFiles = 40;

const tree = z.array(
  z.object({ type: z.string(), path: z.string().max(500), size: z.number().nonnegative().optional() }),
);
/** Devices load one file, and a projector is no model. */
const isPart = (path: string): boolean => /-\d{5}-of-\d{5}\.gguf$/i.test(path);
const isProjector = (path: string): boolean => /(^|\/)mmproj/i.test(path);

/** The files of a repository that devices can run, the smallest first. Never rejects. */
export async function readRepository(repository: Repository, options: RemoteOptions): Promise<FilesOutcome> {
  try {
    return { kind: "files", files: await filesOf(repository, options) };
  } catch (error) {
    return { kind: "failed", why: failureWords(error, repository.url, options) };
  }
}

async function filesOf(repository: Repository, options: RemoteOptions): Promise<readonly RepositoryFile[]> {
  const { response } = await request(repository.url, { accept: "application/json" }, options);
  const text = new TextDecoder().decode(await firstBytes(response, maxBytes));
  const parsed = tree.safeParse(jsonOf(text));
  if (!parsed.success) throw new Failed("The server's list of files cannot be read.");
  const files = parsed.data
    .filter(
      ({ type, path }) => type === "file" && /\.gguf$/i.test(path) && !isPart(path) && !isProjector(path),
    )
    .map(({ path, size = 0 }) => ({ link: linkInto(repository, path), file: path, sizeBytes: size }))
    .sort((a, b) => a.sizeBytes - b.sizeBytes);
  if (files.length === 0)
    throw new Failed(
      "This repository has no GGUF file that a device can run. Look for one whose name ends in GGUF.",
    );
  return files.slice(0, maxFiles);
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
