import { type GgufFacts, ggufHeadBytes, readGgufHeader } from "../../../app/models/gguf.ts";
import { isAllowed, type ModelLink } from "./modelLink.ts";

export type RemoteModel = GgufFacts & {
  readonly sizeBytes: number;
  /** As the server tells it; null if it does not. */
  readonly sha256: string | null;
};

export type RemoteOutcome =
  { readonly kind: "read"; readonly model: RemoteModel } | { readonly kind: "failed"; readonly why: string };

export type RemoteOptions = {
  readonly hosts: readonly string[];
  /** Ends the reading. */
  readonly signal: AbortSignal;
  readonly get?: typeof fetch;
};

const maxRedirects = 5;

/** A reason in words, for a person. */
export class Failed extends Error {}

/** Reads what a catalog needs to know about a model from its file's beginning, without the rest of it. Never rejects. */
export async function readRemoteModel(link: ModelLink, options: RemoteOptions): Promise<RemoteOutcome> {
  try {
    return { kind: "read", model: await read(link, options) };
  } catch (error) {
    return { kind: "failed", why: failureWords(error, link.url, options) };
  }
}

/** Why a server was not read, for a person. */
export function failureWords(error: unknown, url: string, { signal }: RemoteOptions): string {
  if (error instanceof Failed) return error.message;
  const { host } = new URL(url);
  return signal.aborted
    ? `${host} did not answer in time.`
    : `${host} could not be reached from Gleaner's server.`;
}

async function read(link: ModelLink, options: RemoteOptions): Promise<RemoteModel> {
  let told: Told = { sizeBytes: null, sha256: null };
  for (const length of ggufHeadBytes) {
    const range = { range: `bytes=0-${String(length - 1)}`, "accept-encoding": "identity" };
    const { response, told: now } = await request(link.url, range, options);
    told = { sizeBytes: told.sizeBytes ?? now.sizeBytes, sha256: told.sha256 ?? now.sha256 };
    const header = readGgufHeader(await firstBytes(response, length), (utf8) =>
      new TextDecoder().decode(utf8),
    );
    if (header.kind === "wrong") throw new Failed(header.why);
    if (header.kind === "short") {
      if (told.sizeBytes !== null && told.sizeBytes <= length)
        throw new Failed("The file ends within its metadata: it is damaged.");
      continue;
    }
    if (told.sizeBytes === null) throw new Failed("The server does not tell the file's size.");
    return { ...header.facts, sizeBytes: told.sizeBytes, sha256: told.sha256 };
  }
  throw new Failed("The file's metadata is larger than 32 MiB: it is damaged.");
}

/** The facts in a response's headers. */
type Told = { readonly sizeBytes: number | null; readonly sha256: string | null };

/** Calls a server. Each redirect must lead to an allowed host, too. */
export async function request(
  address: string,
  headers: Readonly<Record<string, string>>,
  { hosts, signal, get = fetch }: RemoteOptions,
): Promise<{ readonly response: Response; readonly told: Told }> {
  let told: Told = { sizeBytes: null, sha256: null };
  let url = new URL(address);
  for (let redirects = 0; redirects <= maxRedirects; redirects += 1) {
    if (!isAllowed(url, hosts)) {
      throw new Failed(
        `This server may not read models from ${url.host}. Its operator can allow it: MODEL_HOSTS.`,
      );
    }
    const response = await get(url.href, { headers, redirect: "manual", signal });
    const now = toldBy(response);
    told = { sizeBytes: told.sizeBytes ?? now.sizeBytes, sha256: told.sha256 ?? now.sha256 };
    if (response.ok) return { response, told };
    await response.body?.cancel();
    const next = response.headers.get("location");
    const leads = response.status >= 300 && response.status < 400 && next !== null;
    if (!leads || !URL.canParse(next, url)) throw new Failed(refusalOf(response.status));
    url = new URL(next, url);
  }
  throw new Failed("The server redirects too often.");
}

function refusalOf(status: number): string {
  if (status === 404) return "There is no such file.";
  if (status === 401 || status === 403) return "The file is not public: its owner must accept readers first.";
  return `The server answered with error ${String(status)}.`;
}

/** The hub tells the file's size and SHA-256 in headers of its own. Other hashes are no SHA-256. */
function toldBy({ headers, status }: Response): Told {
  const hash = /^"?([0-9a-f]{64})"?$/.exec(headers.get("x-linked-etag") ?? "")?.[1] ?? null;
  const whole = status === 206 ? /\/(\d{1,15})$/.exec(headers.get("content-range") ?? "")?.[1] : undefined;
  const all = status === 200 ? headers.get("content-length") : null;
  const size = headers.get("x-linked-size") ?? whole ?? all;
  return { sizeBytes: size !== null && /^[1-9]\d{0,14}$/.test(size) ? Number(size) : null, sha256: hash };
}

/** The first bytes of a body. Whatever the server sends, no more is read. */
export async function firstBytes({ body }: Response, length: number): Promise<Uint8Array> {
  if (body === null) throw new Failed("The server sent no file.");
  const bytes = new Uint8Array(length);
  const reader = body.getReader();
  let filled = 0;
  try {
    while (filled < length) {
      const { done, value } = await reader.read();
      if (done) break;
      const part = value.subarray(0, length - filled);
      bytes.set(part, filled);
      filled += part.length;
    }
  } finally {
    await reader.cancel().catch(() => undefined);
  }
  return bytes.subarray(0, filled);
}
