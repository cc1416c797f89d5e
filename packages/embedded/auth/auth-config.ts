import type { JSONValue } from "convex/values";
import * as z from "zod";
import { type KeySet, parseKeySet } from "./key-set.ts";

/** A parsed entry of auth.config.ts: a provider that identifies users. Issuers are URLs without a trailing slash. */
export type AuthProvider =
  | { readonly kind: "oidc"; readonly issuer: string; readonly applicationId: string }
  | {
      readonly kind: "customJwt";
      readonly issuer: string;
      readonly applicationId: string | null;
      readonly keys: KeySource;
      readonly algorithm: "RS256" | "ES256";
    };

/** A provider's keys: given in a `data:` URL, or to be fetched. */
type KeySource =
  { readonly kind: "inline"; readonly keySet: KeySet } | { readonly kind: "remote"; readonly url: string };

type ParsedAuthConfig =
  | { readonly kind: "ok"; readonly providers: readonly AuthProvider[] }
  | { readonly kind: "invalid"; readonly reason: string };

const maxProviders = 50;
const maxUrlLength = 2048;
const maxDataUrlLength = 256 * 1024;

/** A domain, read as in Convex. Without a scheme it is https and must look like a host name. */
const issuer = z
  .string()
  .max(maxUrlLength)
  .transform((text, context) => {
    const url = /^\w+:\/\//.test(text) ? text : `https://${text}`;
    const parsed = URL.parse(url);
    const hasScheme = url === text;
    if (parsed !== null && /^https?:$/.test(parsed.protocol) && (hasScheme || isHostName(parsed.hostname))) {
      return withoutSlash(url);
    }
    context.addIssue({ code: "custom", message: `"${text}" is not the URL of an issuer` });
    return z.NEVER;
  });

const keySource = z
  .string()
  .max(maxDataUrlLength)
  .transform((text, context): KeySource => {
    const protocol = URL.parse(text)?.protocol;
    if (protocol === "https:" || protocol === "http:") return { kind: "remote", url: text };
    const content = protocol === "data:" ? readDataUrl(text) : null;
    const keySet = content === null ? null : parseKeySet(content);
    if (keySet !== null) return { kind: "inline", keySet };
    const message = "neither an http(s) URL nor a data: URL with a JSON Web Key Set";
    context.addIssue({ code: "custom", message });
    return z.NEVER;
  });

const applicationId = z.string().min(1).max(1024);

const oidc = z
  .object({ type: z.undefined().optional(), domain: issuer, applicationID: applicationId })
  .transform((entry): AuthProvider => ({
    kind: "oidc",
    issuer: entry.domain,
    applicationId: entry.applicationID,
  }));

const customJwt = z
  .object({
    type: z.literal("customJwt"),
    issuer,
    jwks: keySource,
    algorithm: z.enum(["RS256", "ES256"]),
    applicationID: applicationId.nullish(),
  })
  .transform((entry): AuthProvider => ({
    kind: "customJwt",
    issuer: entry.issuer,
    applicationId: entry.applicationID ?? null,
    keys: entry.jwks,
    algorithm: entry.algorithm,
  }));

const authConfig = z.object({
  providers: z.array(z.discriminatedUnion("type", [oidc, customJwt])).max(maxProviders),
});

/** Parses the default export of auth.config.ts. Null means no file, so no providers. */
export function parseAuthConfig(exported: JSONValue): ParsedAuthConfig {
  if (exported === null) return { kind: "ok", providers: [] };
  const parsed = authConfig.safeParse(exported);
  if (parsed.success) return { kind: "ok", providers: parsed.data.providers };
  const problems = z.prettifyError(parsed.error).slice(0, 1000);
  return {
    kind: "invalid",
    reason:
      `The default export of auth.config.ts is not an AuthConfig:\n${problems}\n` +
      "A value that it takes from process.env is missing if that environment variable is not set.",
  };
}

/** Issuers are compared without a trailing slash: some providers' tokens have one that their documentation lacks. */
export function withoutSlash(url: string): string {
  return url.replace(/\/$/, "");
}

function isHostName(host: string): boolean {
  return host === "localhost" || /\.[a-z]{2,}$/i.test(host);
}

/** The text in a `data:` URL (RFC 2397); null when it cannot be decoded. */
function readDataUrl(url: string): string | null {
  const parts = /^data:([^,]*),(.*)$/is.exec(url);
  const [, header = "", data = ""] = parts ?? [];
  if (parts === null) return null;
  try {
    const decoded = decodeURIComponent(data);
    return /;\s*base64$/i.test(header) ? Buffer.from(decoded, "base64").toString("utf8") : decoded;
  } catch {
    return null;
  }
}
