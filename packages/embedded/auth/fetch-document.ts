/** An issuer's document as text, or the reason why it is unavailable. */
export type Fetched =
  { readonly kind: "ok"; readonly text: string } | { readonly kind: "failed"; readonly reason: string };

export type FetchDocument = (url: string) => Promise<Fetched>;

const fetchTimeoutMs = 5_000;
/** Far larger than issuers' documents. */
const maxDocumentBytes = 256 * 1024;
const jsonTypes = /^application\/(json|jwk-set\+json)\s*(;|$)/i;

/** Fetches an issuer's JSON, with limits on time and size. Redirects are not followed. */
export async function fetchDocument(url: string, timeoutMs = fetchTimeoutMs): Promise<Fetched> {
  try {
    const response = await fetch(url, {
      headers: { Accept: "application/json" },
      redirect: "manual",
      signal: AbortSignal.timeout(timeoutMs),
    });
    const refusal = refusalOf(response);
    if (refusal !== null) {
      await response.body?.cancel();
      return { kind: "failed", reason: `${url} ${refusal}` };
    }
    const text = await boundedText(response);
    return text === null
      ? { kind: "failed", reason: `${url} answered with more than ${String(maxDocumentBytes)} bytes` }
      : { kind: "ok", text };
  } catch (error) {
    return { kind: "failed", reason: `${url} could not be fetched: ${describe(error)}` };
  }
}

function refusalOf({ status, headers }: Response): string | null {
  if (status !== 200) return `answered with HTTP ${String(status)}`;
  const type = headers.get("content-type") ?? "no content type";
  return jsonTypes.test(type) ? null : `answered with ${type}, not application/json`;
}

async function boundedText({ body }: Response): Promise<string | null> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of body ?? []) {
    size += chunk.byteLength;
    if (size > maxDocumentBytes) return null;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString("utf8");
}

function describe(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause instanceof Error ? error.cause.message || error.message : error.message;
}
