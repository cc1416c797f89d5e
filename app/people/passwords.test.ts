import { describe, expect, it } from "vitest";
import { passwordProblem } from "./passwords.ts";

describe("a password", () => {
  it.each(["correct horse battery", "Tr0ub4dor&3-long", "ein Hund frisst Käse", "x9 k2 p7 q1 m4"])(
    "may be %j",
    (password) => {
      expect(passwordProblem(password, ["ann@example.org", "Acme"])).toBeNull();
    },
  );

  it("has from 12 to 256 characters", () => {
    expect(passwordProblem("short enough")).toBeNull();
    expect(passwordProblem("short enoug")).toBe("Use at least 12 characters.");
    expect(passwordProblem("ab cd efg ".repeat(26))).toBe("Use at most 256 characters.");
  });

  it.each(["aaaaaaaaaaaa", "abababababab", "123456789012", "abcdefghijkl", "987654321098"])(
    "is not as easy as %j",
    (password) => {
      expect(passwordProblem(password)).toMatch(/too easy/);
    },
  );

  it.each(["password12345", "Password!2026", "qwertyuiop123", "1234welcome!!", "PasswordPassword"])(
    "is not a common one such as %j",
    (password) => {
      expect(passwordProblem(password)).toMatch(/guessers try first/);
    },
  );

  it("is not a name of the person or the organization with a few signs", () => {
    const about = ["annabel.smith@example.org", "Contoso Works"];
    expect(passwordProblem("annabel12345", about)).toMatch(/Do not use your name/);
    expect(passwordProblem("contoso-2026!", about)).toMatch(/Do not use your name/);
    expect(passwordProblem("annabel eats green stones", about)).toBeNull();
  });
});
