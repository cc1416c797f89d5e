import type { JSONValue } from "convex/values";
import * as z from "zod";
import type { Claims } from "../runtime/contract/function-runner.ts";

const text = z.string().nullish();
const flag = z.boolean().nullish();

/** The claims of OpenID Connect's ID tokens that become fields of a UserIdentity. */
const standard = z.object({
  name: text,
  given_name: text,
  family_name: text,
  nickname: text,
  preferred_username: text,
  profile: text,
  picture: text,
  website: text,
  email: text,
  email_verified: flag,
  gender: text,
  birthdate: text,
  zoneinfo: text,
  locale: text,
  phone_number: text,
  phone_number_verified: flag,
  address: z.object({ formatted: text }).nullish(),
  updated_at: z.number().min(0).max(253_402_300_799).nullish(),
});

const protocol = [
  "iss",
  "sub",
  "aud",
  "exp",
  "iat",
  "auth_time",
  "nonce",
  "acr",
  "amr",
  "azp",
  "at_hash",
  "c_hash",
];
/** Left out as in Convex: they differ per token, so every refresh would make a new identity. */
const housekeeping = ["jti", "nbf", "fva"];
const notCustom = new Set([...protocol, ...housekeeping, ...Object.keys(standard.shape)]);

/** A UserIdentity from an ID token's verified claims; null when a standard claim has a wrong type. */
export function oidcIdentity(claims: Claims & { readonly iss: string; readonly sub: string }): Claims | null {
  const parsed = standard.safeParse(claims);
  if (!parsed.success) return null;
  const known = parsed.data;
  const fields = {
    tokenIdentifier: `${claims.iss}|${claims.sub}`,
    subject: claims.sub,
    issuer: claims.iss,
    name: known.name,
    givenName: known.given_name,
    familyName: known.family_name,
    nickname: known.nickname,
    preferredUsername: known.preferred_username,
    profileUrl: known.profile,
    pictureUrl: known.picture,
    websiteUrl: known.website,
    email: known.email,
    emailVerified: known.email_verified,
    gender: known.gender,
    birthday: known.birthdate,
    timezone: known.zoneinfo,
    language: known.locale,
    phoneNumber: known.phone_number,
    phoneNumberVerified: known.phone_number_verified,
    address: known.address?.formatted,
    updatedAt: typeof known.updated_at === "number" ? rfc3339(known.updated_at) : null,
  };
  // No custom claim may replace a standard one.
  const custom = Object.entries(claims).filter(([claim]) => !notCustom.has(claim) && !(claim in fields));
  const present = Object.entries(fields).filter((entry): entry is [string, string | boolean] => {
    return entry[1] !== null && entry[1] !== undefined;
  });
  return Object.fromEntries<JSONValue>([...custom, ...present]);
}

function rfc3339(seconds: number): string {
  return new Date(seconds * 1000).toISOString().replace(/(\.000)?Z$/, "+00:00");
}

/** The registered claims of JSON Web Tokens, and `fva`, which Convex leaves out because it differs per token. */
const registered = new Set(["iss", "sub", "aud", "exp", "nbf", "iat", "jti", "fva"]);

/** A UserIdentity from a custom JWT's verified claims: they keep their names, nested ones as "outer.inner". */
export function customJwtIdentity(claims: Claims & { readonly iss: string; readonly sub: string }): Claims {
  const custom = Object.entries(claims).filter(([claim]) => !registered.has(claim));
  return Object.fromEntries<JSONValue>([
    ...custom.flatMap(([claim, value]) => flattened(claim, value)),
    // Last, so that no custom claim replaces a verified field.
    ["tokenIdentifier", `${claims.iss}|${claims.sub}`],
    ["subject", claims.sub],
    ["issuer", claims.iss],
  ]);
}

function flattened(claim: string, value: JSONValue): readonly [string, JSONValue][] {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return [[claim, value]];
  return Object.entries(value).flatMap(([inner, nested]) => flattened(`${claim}.${inner}`, nested));
}
