import { expect, test } from "vitest";
import { customJwtIdentity, oidcIdentity } from "./identity.ts";

const who = { iss: "https://a.example", sub: "ann" };
const minimal = {
  tokenIdentifier: "https://a.example|ann",
  subject: "ann",
  issuer: "https://a.example",
};

test("an ID token's standard claims become the fields of a UserIdentity", () => {
  const identity = oidcIdentity({
    ...who,
    aud: "app",
    exp: 2,
    iat: 1,
    nbf: 1,
    jti: "x",
    nonce: "n",
    azp: "app",
    auth_time: 1,
    fva: [1, 2],
    name: "Ann",
    given_name: "A",
    family_name: "N",
    nickname: "an",
    preferred_username: "ann1",
    profile: "https://p",
    picture: "https://i",
    website: "https://w",
    gender: "f",
    birthdate: "2000-01-02",
    email: "ann@a.example",
    email_verified: true,
    phone_number: "+1",
    phone_number_verified: false,
    zoneinfo: "Europe/Berlin",
    locale: "de",
    address: { formatted: "Here 1" },
    updated_at: 1_700_000_000,
    org_id: "o1",
    roles: ["admin"],
    "https://a.example/plan": { tier: 2 },
  });
  expect(identity).toEqual({
    ...minimal,
    name: "Ann",
    givenName: "A",
    familyName: "N",
    nickname: "an",
    preferredUsername: "ann1",
    profileUrl: "https://p",
    pictureUrl: "https://i",
    websiteUrl: "https://w",
    gender: "f",
    birthday: "2000-01-02",
    email: "ann@a.example",
    emailVerified: true,
    phoneNumber: "+1",
    phoneNumberVerified: false,
    timezone: "Europe/Berlin",
    language: "de",
    address: "Here 1",
    updatedAt: "2023-11-14T22:13:20+00:00",
    org_id: "o1",
    roles: ["admin"],
    "https://a.example/plan": { tier: 2 },
  });
});

test("missing claims are left out", () => {
  expect(oidcIdentity({ ...who, name: null, address: {} })).toEqual(minimal);
});

test.each([
  { name: 1 },
  { email_verified: "true" },
  { address: "here" },
  { updated_at: "today" },
  { updated_at: 1e99 },
])("a standard claim of a wrong type is refused: %j", (claims) => {
  expect(oidcIdentity({ ...who, ...claims })).toBeNull();
});

test("a custom JWT's claims keep their names, nested ones with a dot", () => {
  const claims = { ...who, aud: "app", exp: 2, nbf: 1, iat: 1, jti: "x", fva: 1 };
  const custom = { email_verified: true, roles: ["a", { b: 1 }], deep: { one: { two: 2 }, none: null } };
  expect(customJwtIdentity({ ...claims, ...custom })).toEqual({
    ...minimal,
    email_verified: true,
    roles: ["a", { b: 1 }],
    "deep.one.two": 2,
    "deep.none": null,
  });
});

test("no claim can replace a verified field", () => {
  const forged = { tokenIdentifier: "https://a.example|root", subject: "root", issuer: "root" };
  expect(oidcIdentity({ ...who, ...forged, emailVerified: true })).toEqual(minimal);
  expect(customJwtIdentity({ ...who, ...forged })).toEqual(minimal);
});
