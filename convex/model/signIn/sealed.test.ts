import { afterEach, expect, it, vi } from "vitest";
import { seal, unseal } from "./sealed.ts";

const key = "k".repeat(42) + "A";

afterEach(() => vi.unstubAllEnvs());

it("encrypts a secret with the deployment's key", () => {
  vi.stubEnv("GLEANER_SECRETS_KEY", key);
  const stored = seal("client secret", "provider");
  expect(stored).toMatch(/^sealed1\.[\w-]+$/);
  expect(stored).not.toContain(btoa("client secret").replaceAll("=", ""));
  expect(seal("client secret", "provider")).not.toBe(stored);
  expect(unseal(stored, "provider")).toBe("client secret");
});

it("opens a secret neither in another place nor with another key nor without one", () => {
  vi.stubEnv("GLEANER_SECRETS_KEY", key);
  const stored = seal("client secret", "provider");
  expect(() => unseal(stored, "refresh token")).toThrow(/not the key/);
  expect(() => unseal(stored.slice(0, -4), "provider")).toThrow(/not the key/);
  vi.stubEnv("GLEANER_SECRETS_KEY", "x".repeat(42) + "A");
  expect(() => unseal(stored, "provider")).toThrow(/not the key/);
  vi.stubEnv("GLEANER_SECRETS_KEY", "");
  expect(() => unseal(stored, "provider")).toThrow(/not the key/);
});

it("stores a secret as it is without a key, and still reads it when there is one", () => {
  vi.stubEnv("GLEANER_SECRETS_KEY", "");
  const stored = seal("client secret", "provider");
  expect(stored).toBe("plain.client secret");
  vi.stubEnv("GLEANER_SECRETS_KEY", key);
  expect(unseal(stored, "provider")).toBe("client secret");
});

it("refuses a malformed key", () => {
  vi.stubEnv("GLEANER_SECRETS_KEY", "short");
  expect(() => seal("client secret", "provider")).toThrow(/43 characters/);
});
