import { expect, test } from "vitest";
import { parseUpload } from "./upload-request.ts";

const digest = "47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=";

test.each([
  [{}, { contentType: null, sha256: null, announced: 0 }],
  [
    { "content-type": "text/plain;charset=UTF-8", "content-length": "12", digest: `sha-256=${digest}` },
    { contentType: "text/plain;charset=UTF-8", sha256: digest, announced: 12 },
  ],
  [
    { "content-type": 'multipart/form-data; boundary="a b"', digest: `SHA-256=${digest}` },
    { contentType: 'multipart/form-data; boundary="a b"', sha256: digest, announced: 0 },
  ],
])("the headers %o describe an upload", (headers, expected) => {
  expect(parseUpload({ headers })).toEqual({ kind: "ok", ...expected });
});

test.each([
  { "content-type": "text" },
  { "content-type": "text/html, text/plain" },
  { "content-type": `text/${"x".repeat(300)}` },
  { digest: `md5=${digest}` },
  { digest: "sha-256=abc" },
])("the headers %o are refused", (headers) => {
  expect(parseUpload({ headers }).kind).toBe("refused");
});
