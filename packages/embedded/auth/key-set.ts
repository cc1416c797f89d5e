import { createLocalJWKSet } from "jose";
import * as z from "zod";
import { parseBoundedJson } from "../wire/bounded-json.ts";

/** Finds a token's key among those of one issuer. */
export type KeySet = ReturnType<typeof createLocalJWKSet>;

const maxKeys = 100;

const jwks = z.object({
  keys: z.array(z.looseObject({ kty: z.string() })).max(maxKeys),
});

/** Parses a JSON Web Key Set (RFC 7517); null for anything else. */
export function parseKeySet(text: string): KeySet | null {
  const json = parseBoundedJson(text);
  const parsed = json.kind === "ok" ? jwks.safeParse(json.value) : null;
  return parsed?.success === true ? createLocalJWKSet(parsed.data) : null;
}
