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

it.each([
  ["EAUTH", "Invalid login:\n 535 Wrong", "The mail server refused the login (Invalid login: 535 Wrong)."],
  ["EENVELOPE", "No such user", "The mail server refused the sender or the recipient (No such user)."],
  ["ETLS", "wrong version", "No encrypted connection to the mail server was possible (wrong version)."],
  ["EMESSAGE", "554 Spam", "The mail server did not take the mail (554 Spam)."],
])("says what kind of failure %s is, with the words of the server", (code, said, words) => {
  const sentence = problemWords(Object.assign(new Error(said), { code }));
  expect(sentence).toContain(words);
  expect(sentence).toMatch(/\. Check .+\.$/);
});

it("bounds what a server says", () => {
  expect(problemWords(new Error("x".repeat(1000)))).toHaveLength(
    "The mail server did not take the mail (). Check its settings.".length + 240,
  );
});
