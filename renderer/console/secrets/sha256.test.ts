import { createHash } from "node:crypto";
import { expect, it } from "vitest";
import { sha256 } from "./sha256.ts";

it("agrees with Node's SHA-256 at every length around the block boundaries", () => {
  for (let length = 0; length <= 200; length += 1) {
    const text = "aé€😀".repeat(60).slice(0, length);
    expect(sha256(text)).toBe(createHash("sha256").update(text, "utf8").digest("hex"));
  }
});
