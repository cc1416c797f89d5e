import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import type { Language } from "../../app/format/languages.ts";
import { silentLog } from "../log.ts";
import { type SpokenLanguage, spokenLanguage } from "./spoken-language.ts";

const words: Readonly<Record<Language, string>> = { en: "Quit", de: "Beenden" };

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "gleaner-language-"));
});
afterEach(() => rm(folder, { recursive: true }));

function speak(
  preferred: readonly string[],
  load = (language: Language) => Promise.resolve(words[language]),
): Promise<SpokenLanguage<string>> {
  return spokenLanguage({ file: join(folder, "desktop/language.json"), preferred, load, log: silentLog });
}

it("speaks the system's language, until its person chooses another one", async () => {
  const german = await speak(["de-AT", "en-US"]);
  expect(german.text()).toBe("Beenden");
  const heard = vi.fn();
  const stop = german.onChange(heard);
  await german.choose("en");
  expect(german.text()).toBe("Quit");
  await german.choose("en");
  expect(heard).toHaveBeenCalledOnce();
  stop();
  await german.choose(null);
  expect(german.text()).toBe("Beenden");
  expect(heard).toHaveBeenCalledOnce();
  expect((await speak(["fr"])).text()).toBe("Quit");
});

it("keeps the choice for its next start", async () => {
  await (await speak(["en-US"])).choose("de");
  expect((await speak(["en-US"])).text()).toBe("Beenden");
  await (await speak(["en-US"])).choose(null);
  expect((await speak(["en-US"])).text()).toBe("Quit");
});

it("starts with a damaged file, and repairs it with the next choice", async () => {
  const file = join(folder, "desktop/language.json");
  await (await speak([])).choose("de");
  for (const damage of ["{", '{"language":"xx"}', "[]"]) {
    await writeFile(file, damage);
    const language = await speak([]);
    expect(language.text(), damage).toBe("Quit");
    await language.choose("de");
    expect(JSON.parse(await readFile(file, "utf8"))).toEqual({ language: "de" });
  }
});

it("speaks the last of several choices, also if an earlier one loads longer", async () => {
  const slow = Promise.withResolvers<string>();
  const language = await speak([], (asked) =>
    asked === "de" ? slow.promise : Promise.resolve(words[asked]),
  );
  const first = language.choose("de");
  await language.choose("en");
  slow.resolve(words.de);
  await first;
  expect(language.text()).toBe("Quit");
});

it("goes on if the choice cannot be kept", async () => {
  await writeFile(join(folder, "desktop"), "a file");
  const language = await speak([]);
  await language.choose("de");
  expect(language.text()).toBe("Beenden");
});
