import { expect, it } from "vitest";
import { problemWords } from "./problem.ts";

it.each([
  "connect ECONNREFUSED 192.0.2.7:587",
  "getaddrinfo ENOTFOUND smtp.example.org",
  "Connection timeout",
])("says what to do about %s, and keeps its words", (said) => {
  expect(problemWords(new Error(said))).toBe(
    `The mail server cannot be reached (${said}). Check its name and port.`,
  );
});

it("leaves the words of a server that answered", () => {
  expect(problemWords(new Error("Invalid login:\n 535 Wrong user or password"))).toBe(
    "Invalid login: 535 Wrong user or password",
  );
});

it("bounds what a server says", () => {
  expect(problemWords(new Error("x".repeat(1000)))).toHaveLength(240);
});
