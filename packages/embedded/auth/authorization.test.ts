import { expect, test } from "vitest";
import { createTokenVerifier } from "../compose/create-token-verifier.ts";
import { adminKeyCheck } from "./admin-key.ts";
import { authenticate, authorize } from "./authorization.ts";

const isAdminKey = adminKeyCheck("gleaner|s3cret:with:colons");

test("a header identifies nobody, the admin, or the admin as a user", () => {
  expect(authorize(undefined, isAdminKey)).toEqual({ kind: "ok", identity: { kind: "none" } });
  expect(authorize("Convex gleaner|s3cret:with:colons", isAdminKey)).toEqual({
    kind: "ok",
    identity: { kind: "admin" },
  });
  const acting = Buffer.from(JSON.stringify({ subject: "ann" })).toString("base64");
  expect(authorize(`Convex gleaner|s3cret:with:colons:${acting}`, isAdminKey)).toEqual({
    kind: "ok",
    identity: { kind: "admin", actingAs: { subject: "ann" } },
  });
});

test.each([
  ["Convex wrong", "BadDeployKey"],
  ["Convex", "BadDeployKey"],
  ["Convex gleaner|s3cret:with", "BadDeployKey"],
  ["Convex gleaner|s3cret:with:colons:bm90IGpzb24=", "InvalidIdentity"],
  ["Bearer eyJ.x.y", "BadDeployKey"],
  ["Basic abc", "InvalidAuthHeader"],
])("the header %j is refused as %s", (header, code) => {
  expect(authorize(header, isAdminKey)).toMatchObject({ kind: "refused", code });
});

test("a function's caller may also be a user", async () => {
  const withNoProvider = { isAdminKey, tokens: createTokenVerifier(null) };
  const codeOf = async (header?: string) => {
    const authenticated = await authenticate(header, withNoProvider);
    return authenticated.kind === "ok" ? authenticated.identity.kind : authenticated.code;
  };
  const token = `e30.${Buffer.from('{"iss":"https://issuer.example"}').toString("base64url")}.x`;
  expect(await codeOf(undefined)).toBe("none");
  expect(await codeOf("convex gleaner|s3cret:with:colons")).toBe("admin");
  expect(await codeOf(`bearer ${token}`)).toBe("NoAuthProvider");
  expect(await codeOf("Bearer glk_123")).toBe("InvalidAuthHeader");
  expect(await codeOf("Basic YTpi")).toBe("InvalidAuthHeader");
});
