import { createPublicKey, generateKeyPairSync } from "node:crypto";
import { expect, it } from "vitest";
import { pin, pinOf } from "./pin.ts";

it("is the hash of the public key, whichever form the key comes in", () => {
  const { publicKey, privateKey } = generateKeyPairSync("ec", { namedCurve: "prime256v1" });
  expect(pinOf(createPublicKey(privateKey))).toBe(pinOf(publicKey));
  expect(pin.parse(pinOf(publicKey))).toBe(pinOf(publicKey));
});

it("accepts capital letters, and colons as in browsers", () => {
  const bytes = Array.from({ length: 32 }, () => "AB");
  expect(pin.parse(` SHA256:${bytes.join(":")} `)).toBe(`sha256:${"ab".repeat(32)}`);
});

it.each(["", "sha256:", "sha256:12", "a".repeat(64), `sha1:${"a".repeat(64)}`, `sha256:${"a".repeat(65)}`])(
  "cannot be %j",
  (text) => expect(pin.safeParse(text).success).toBe(false),
);
