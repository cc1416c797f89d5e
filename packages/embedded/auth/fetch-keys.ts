import { z } from "zod";
import { parseBoundedJson } from "../wire/bounded-json.ts";
import type { FetchDocument } from "./fetch-document.ts";
import { parseKeySet } from "./key-set.ts";
import type { KeysFetched } from "./remote-keys.ts";

const metadata = z.object({ issuer: z.string(), jwks_uri: z.url({ protocol: /^https?$/ }) });

/** Fetches the keys at a URL. */
export async function fetchKeys(fetchDocument: FetchDocument, url: string): Promise<KeysFetched> {
  const fetched = await fetchDocument(url);
  if (fetched.kind === "failed") return fetched;
  const keySet = parseKeySet(fetched.text);
  if (keySet !== null) return { kind: "ok", keySet };
  return { kind: "failed", reason: `${url} did not answer with a JSON Web Key Set` };
}

/** Finds an issuer's keys by OpenID Connect Discovery: it has to name itself exactly as its tokens do. */
export async function discoverKeys(fetchDocument: FetchDocument, issuer: string): Promise<KeysFetched> {
  const url = `${issuer.replace(/\/$/, "")}/.well-known/openid-configuration`;
  const fetched = await fetchDocument(url);
  if (fetched.kind === "failed") return fetched;
  const json = parseBoundedJson(fetched.text);
  const parsed = json.kind === "ok" ? metadata.safeParse(json.value) : null;
  if (parsed?.success !== true) {
    return { kind: "failed", reason: `${url} did not answer with the metadata of an OpenID provider` };
  }
  if (parsed.data.issuer !== issuer) {
    return { kind: "failed", reason: `${url} is of the issuer ${parsed.data.issuer}, not ${issuer}` };
  }
  return await fetchKeys(fetchDocument, parsed.data.jwks_uri);
}
