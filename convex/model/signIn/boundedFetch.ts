/** A provider that does not answer in this time does not work. */
const answersWithinMs = 10_000;
/** Metadata, keys and tokens have some kilobytes. Lists of groups may have more. */
const maxBytes = 1_048_576;

/** As `fetch`, with bounds of time and size. It follows no redirect: OpenID Connect has none between servers. */
export async function boundedFetch(url: string, init: object): Promise<Response> {
  const signal = AbortSignal.timeout(answersWithinMs);
  const response = await fetch(url, { ...init, redirect: "manual", signal });
  const { status, headers } = response;
  if (response.body === null) return new Response(null, { status, headers });
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  const reader: ReadableStreamDefaultReader<Uint8Array> = response.body.getReader();
  for (let next = await reader.read(); !next.done; next = await reader.read()) {
    bytes += next.value.length;
    if (bytes > maxBytes) {
      await reader.cancel();
      throw new Error("The provider's answer is too large.");
    }
    chunks.push(next.value);
  }
  const text = new TextDecoder().decode(await new Blob(chunks as BlobPart[]).arrayBuffer());
  return new Response(status === 204 ? null : text, { status, headers });
}
