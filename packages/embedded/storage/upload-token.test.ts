import { expect, test } from "vitest";
import { checkUploadToken, issueUploadToken } from "./upload-token.ts";

const hourMs = 3_600_000;
const issued = Date.UTC(2026, 0, 1);

test("a token is valid for its component for an hour", () => {
  const token = issueUploadToken("secret", "pool/batch", issued);
  expect(token).toMatch(/^[A-Za-z0-9_.-]+$/);
  expect(checkUploadToken("secret", token, issued + hourMs)).toEqual({
    kind: "valid",
    component: "pool/batch",
  });
  expect(checkUploadToken("secret", token, issued + hourMs + 1)).toEqual({ kind: "expired" });
});

test("only our own tokens are valid", () => {
  const token = issueUploadToken("secret", "", issued);
  const [, signature] = token.split(".");
  const [foreignBody] = issueUploadToken("secret", "pool", issued).split(".");
  const forged = [
    "",
    ".",
    "coffee",
    `${token}.x`,
    token.slice(0, -2),
    `${foreignBody}.${signature}`,
    issueUploadToken("another secret", "", issued),
    "x".repeat(10_000),
  ];
  for (const each of forged) expect(checkUploadToken("secret", each, issued)).toEqual({ kind: "invalid" });
});

test("no two tokens are alike", () => {
  expect(issueUploadToken("secret", "", issued)).not.toBe(issueUploadToken("secret", "", issued));
});
