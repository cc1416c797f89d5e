import type { UpdateProblem } from "../../app/contract/updates.ts";
import { type Release, releaseFileName, type ReleaseTarget } from "../../app/signatures/release.ts";
import { readRelease } from "./read-release.ts";

type Look =
  | { readonly kind: "found"; readonly release: Release }
  /** The channel has no release for this kind of computer. */
  | { readonly kind: "nothing" }
  | { readonly kind: "failed"; readonly problem: UpdateProblem; readonly detail: string };

export type FetchFile = (
  url: string,
  options: { readonly signal: AbortSignal; readonly cache: "no-store" },
) => Promise<Response>;

/** More than a release's file needs. */
const mostBytes = 16 * 1024;
const withinMs = 30_000;

/** Asks the update server for the channel's release. */
export async function lookForRelease(
  fetchFile: FetchFile,
  { server, key }: { readonly server: string; readonly key: string },
  target: ReleaseTarget,
): Promise<Look> {
  let text: string;
  try {
    const url = new URL(releaseFileName(target), server).href;
    const response = await fetchFile(url, { signal: AbortSignal.timeout(withinMs), cache: "no-store" });
    if (response.status === 404) return { kind: "nothing" };
    if (!response.ok) return failed("unreachable", `status ${response.status}`);
    text = await readBounded(response);
  } catch (error) {
    return failed("unreachable", error instanceof Error ? error.message : String(error));
  }
  const release = readRelease(text, key, target);
  return release === null ? failed("not-signed", releaseFileName(target)) : { kind: "found", release };
}

function failed(problem: UpdateProblem, detail: string): Look {
  return { kind: "failed", problem, detail };
}

async function readBounded({ body }: Response): Promise<string> {
  if (body === null) return "";
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  // An error ends the request, too.
  for await (const chunk of body as ReadableStream<Uint8Array>) {
    bytes += chunk.length;
    if (bytes > mostBytes) throw new Error(`the file is larger than ${mostBytes} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString("utf8");
}
