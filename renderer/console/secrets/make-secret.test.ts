import { expect, it } from "vitest";
import { makeEnrollmentCode, makeSecret } from "./make-secret.ts";

it("creates different secrets of 256 bits", () => {
  const made = new Set(Array.from({ length: 50 }, () => makeSecret("sk-gleaner-")));
  expect(made.size).toBe(50);
  for (const secret of made) expect(secret).toMatch(/^sk-gleaner-[A-Za-z0-9_-]{43}$/);
  expect(makeSecret("gs_")).toMatch(/^gs_[A-Za-z0-9_-]{43}$/);
});

it("creates enrollment codes without ambiguous letters", () => {
  for (let at = 0; at < 50; at += 1) {
    expect(makeEnrollmentCode()).toMatch(/^GLN(-[0-9A-HJKMNP-TV-Z]{4}){3}$/);
  }
});
