import { describe, expect, it } from "vitest";
import { base32Of, bytesOfBase32 } from "./base32.ts";
import { newRecoveryCodes, recoveryHash } from "./recoveryCodes.ts";
import { codeOf, newTotpSecret, otpauthUri, stepOf } from "./totp.ts";

/** The secret of RFC 6238's test vectors: "12345678901234567890". */
const secret = "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ";

describe("a code of an authenticator app", () => {
  it.each([
    [59, "287082"],
    [1_111_111_109, "081804"],
    [1_111_111_111, "050471"],
    [1_234_567_890, "005924"],
    [2_000_000_000, "279037"],
    [20_000_000_000, "353130"],
  ])("is the one of RFC 6238 after %i seconds", (seconds, code) => {
    expect(codeOf(secret, Math.floor(seconds / 30))).toBe(code);
  });

  it("counts for the step before, the present and the next one, and no other", () => {
    const now = 1_800_000_000_000;
    const step = now / 30_000;
    const counts = [-2, -1, 0, 1, 2].map((by) => stepOf(secret, codeOf(secret, step + by), now));
    expect(counts).toEqual([null, step - 1, step, step + 1, null]);
    expect(stepOf(secret, "", now)).toBeNull();
    expect(stepOf(secret, `${codeOf(secret, step)}0`, now)).toBeNull();
  });

  it("has a secret of 160 bits, which the address for the QR code carries", () => {
    expect(bytesOfBase32(newTotpSecret())).toHaveLength(20);
    expect(newTotpSecret()).not.toBe(newTotpSecret());
    expect(otpauthUri(secret, "Acme & Co", "ann@example.org")).toBe(
      `otpauth://totp/Gleaner%20Acme%20%26%20Co:ann%40example.org?secret=${secret}&issuer=Gleaner%20Acme%20%26%20Co`,
    );
  });

  it("is written in base32 as RFC 4648 has it", () => {
    expect(base32Of(new TextEncoder().encode("foobarfoob"))).toBe("MZXW6YTBOJTG633C");
    expect(new TextDecoder().decode(bytesOfBase32("MZXW6YTBOJTG633C"))).toBe("foobarfoob");
  });
});

describe("recovery codes", () => {
  it("are ten different ones, and known however they are typed", async () => {
    const codes = newRecoveryCodes();
    expect(new Set(codes).size).toBe(10);
    const [code = ""] = codes;
    expect(code).toMatch(/^[a-z2-7]{4}(-[a-z2-7]{4}){3}$/);
    const typed = ` ${code.toUpperCase().replaceAll("-", " ")}`;
    expect(await recoveryHash(typed)).toBe(await recoveryHash(code));
    expect(await recoveryHash("123456")).toBeNull();
  });
});
