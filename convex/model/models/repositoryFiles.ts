import { runnableFiles } from "../../../app/models/repository-files.ts";
import { linkInto, type Repository } from "./modelLink.ts";
import { Failed, failureWords, firstBytes, type RemoteOptions, request } from "./remoteModel.ts";

export type FilesOutcome =
  | {
      readonly kind: "files";
      /** `link`: reads the file. */
      readonly files: readonly { readonly link: string; readonly file: string; readonly sizeBytes: number }[];
    }
  | { readonly kind: "failed"; readonly why: string };

/** A list of some thousand files. */
const maxBytes = 2 ** 21;

/** The files of a repository that devices can run, the smallest first. Never rejects. */
export async function readRepository(repository: Repository, options: RemoteOptions): Promise<FilesOutcome> {
  try {
    return { kind: "files", files: await filesOf(repository, options) };
  } catch (error) {
    return { kind: "failed", why: failureWords(error, repository.url, options) };
  }
}

async function filesOf(repository: Repository, options: RemoteOptions) {
  const { response } = await request(repository.url, { accept: "application/json" }, options);
  const files = runnableFiles(new TextDecoder().decode(await firstBytes(response, maxBytes)));
  if (files === null) throw new Failed("The server's list of files cannot be read.");
  if (files.length === 0) throw new Failed("This repository has no GGUF file that a device can run.");
  return files.map(({ path, sizeBytes }) => ({ link: linkInto(repository, path), file: path, sizeBytes }));
}
