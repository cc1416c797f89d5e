import { expect, it } from "vitest";
import { languageOf } from "./languages.ts";

it.each([
  [null, ["de-AT", "en"], "de"],
  [null, ["fr-FR", "de"], "de"],
  [null, ["fr-FR"], "en"],
  [null, [], "en"],
  ["en" as const, ["de-DE"], "en"],
])("chooses the language: %s of %s", (chosen, preferred, language) => {
  expect(languageOf(chosen, preferred)).toBe(language);
});
