import { expect, it } from "vitest";
import { chooseLanguage, chosenLanguage } from "./choose-language.ts";

it("keeps a choice, and takes only a language that has a catalog", () => {
  const kept = new Map<string, string>();
  const storage = {
    getItem: (key: string) => kept.get(key) ?? null,
    setItem: (key: string, value: string) => void kept.set(key, value),
    removeItem: (key: string) => void kept.delete(key),
  };
  chooseLanguage(storage, "de");
  expect(chosenLanguage(storage)).toBe("de");
  chooseLanguage(storage, null);
  expect(chosenLanguage(storage)).toBeNull();
  for (const key of ["toString", "xx"]) {
    storage.setItem("gleaner.language", key);
    expect(chosenLanguage(storage)).toBeNull();
  }
});
