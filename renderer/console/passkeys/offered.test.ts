import { describe, expect, it } from "vitest";
import { passkeyProblem } from "./offered.ts";

const problemAt = (address: string, isSecureContext = true, PublicKeyCredential: unknown = {}) =>
  passkeyProblem({ location: new URL(address), isSecureContext, PublicKeyCredential });

describe("passkeys", () => {
  it("are offered at an address with TLS and at localhost", () => {
    expect(problemAt("https://gleaner.example.org/console/")).toBeNull();
    expect(problemAt("http://localhost:8123/console/")).toBeNull();
  });

  it("are not offered without a secure context, at a number, and in a browser without them", () => {
    expect(problemAt("http://gleaner.example.org/", false)).toMatch(/need an address with TLS/);
    expect(problemAt("https://192.0.2.7/")).toMatch(/open at a number/);
    expect(problemAt("https://[2001:db8::7]/")).toMatch(/open at a number/);
    expect(
      passkeyProblem({ location: new URL("https://gleaner.example.org/"), isSecureContext: true }),
    ).toMatch(/no passkeys/);
  });

  it("name the address of the same console where they work", () => {
    expect(problemAt("http://127.0.0.1:8123/console/")).toContain("http://localhost:8123/console/");
  });
});
