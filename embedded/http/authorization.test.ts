import { expect, test } from "vitest";
import { adminKeyCheck } from "./admin-key.ts";
import { authorize } from "./authorization.ts";

const isAdminKey = adminKeyCheck("gleaner|s3cret:with:colons");

test("nobody, the admin, the admin as somebody", () => {
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
  ["Bearer eyJ.x.y", "NoAuthProvider"],
  ["Basic abc", "InvalidAuthHeader"],
])("refuses %j as %s", (header, code) => {
  expect(authorize(header, isAdminKey)).toMatchObject({ kind: "refused", code });
});
