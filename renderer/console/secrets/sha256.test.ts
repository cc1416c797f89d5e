import { createHash } from "node:crypto";
import { expect, it } from "vitest";
import { sha256 } from "./sha256.ts";

it("agrees with the system's own at every length around the block's edges", () => {
  for (let length = 0; length <= 200; length += 1) {
    const text = "aé€😀".repeat(60).slice(0, length);
    expect(sha256(text)).toBe(createHash("sha256").update(text, "utf8").digest("hex"));
  }
});
