import { expect, it } from "vitest";
import { hashPassword, isPassword } from "./passwordHash.ts";

it("tells the right password from others", async () => {
  const stored = await hashPassword("correct horse battery");
  expect(stored).toMatch(/^pbkdf2-sha256\$600000\$[\w-]{22}\$[\w-]{43}$/);
  expect(await isPassword("correct horse battery", stored)).toBe(true);
  expect(await isPassword("correct horse batterz", stored)).toBe(false);
  expect(await isPassword("", stored)).toBe(false);
});

it("gives one password two hashes", async () => {
  expect(await hashPassword("correct horse battery")).not.toBe(await hashPassword("correct horse battery"));
});

it("accepts a password however its accents are written", async () => {
  const stored = await hashPassword("ein Hund frisst K\u00e4se");
  expect(await isPassword("ein Hund frisst Ka\u0308se", stored)).toBe(true);
});

it("takes as long for a member without a password", async () => {
  const stored = await hashPassword("correct horse battery");
  const duration = async (hash: string | null): Promise<number> => {
    const began = performance.now();
    await isPassword("wrong horse battery", hash);
    return performance.now() - began;
  };
  const [known, unknown] = [await duration(stored), await duration(null)];
  expect(await isPassword("correct horse battery", null)).toBe(false);
  expect(unknown).toBeGreaterThan(known / 4);
});

it("refuses a stored hash that is cut", async () => {
  const stored = await hashPassword("correct horse battery");
  expect(await isPassword("correct horse battery", stored.slice(0, -43))).toBe(false);
});
