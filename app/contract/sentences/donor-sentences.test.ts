import { expect, it } from "vitest";
import { refusalWords, refusedFor, replyFrame } from "../donor-calls.ts";
import { donorSentences, sayDonorSentence, type SentenceName, sentenceOf } from "./donor-sentences.ts";

/** Values that are names themselves. */
const special: Partial<Record<SentenceName, readonly string[]>> = {
  "rules-locked": ["startAtLogin"],
  "list-refused": ["older", "kept"],
};

it.each(Object.keys(donorSentences) as SentenceName[])("has a sentence for %s, without a gap", (name) => {
  const words: (...values: string[]) => string = donorSentences[name];
  const sentence = words(...(special[name] ?? ["a", "b"]));
  expect(sentence).toMatch(/^\S.*\S$/);
  expect(sentence).not.toMatch(/undefined| {2}/);
});

it("a refusal reaches a page with its sentence", () => {
  const refusal = refusedFor("already-there", "Acme");
  expect(refusal.message).toBe("This computer already belongs to Acme.");
  const { reply } = replyFrame.parse(JSON.parse(JSON.stringify({ id: 1, reply: refusal })));
  expect(reply).toEqual(refusal);
  // A test's code has English only.
  expect(refusalWords(refusal)).toBe(refusal.message);
});

it("a terminal reads a refusal with its note, and a page without", () => {
  const refusal = refusedFor("journal-unreadable", "/home/ada/.config/gleaner", "EACCES");
  expect(refusal.message).toContain("/home/ada/.config/gleaner");
  expect(refusalWords(refusal)).toBe("Gleaner’s journal cannot be read (EACCES). Tell your administrator.");
});

it("keeps the English text of a sentence that another version has", () => {
  expect(refusalWords({ kind: "refused", message: "No." })).toBe("No.");
  expect(sayDonorSentence({ name: "new-one", values: [] }, "No.")).toBe("No.");
  expect(sayDonorSentence({ name: "toString", values: [] }, "No.")).toBe("No.");
});

it.each([
  ["ECONNREFUSED", "https://a:1 cannot be reached (connection refused). Gleaner keeps trying."],
  ["HTTP 502", "https://a:1 cannot be reached (the answer is HTTP status 502). Gleaner keeps trying."],
  ["EODD", "https://a:1 cannot be reached (EODD). Gleaner keeps trying."],
])("has words for why a server was not reached: %s", (why, sentence) => {
  expect(sayDonorSentence(sentenceOf("unreachable", "https://a:1", why), "")).toBe(sentence);
});

it("names the rules that an organization locked", () => {
  expect(refusedFor("rules-locked", "startAtLogin,allowMetered").message).toMatch(
    /^Your organization decides this \(.+, .+\)\.$/,
  );
});
