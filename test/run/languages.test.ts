import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { parseSync } from "oxc-parser";
import PO from "pofile";
import { afterAll, expect, it } from "vitest";
import { languages } from "../../app/format/languages.ts";
import { nodesOf, textOf } from "../../scripts/syntax.ts";
import { translationsOfMails, updateCatalogs } from "../../wuchale.config.ts";

const names = Object.keys(languages);
const root = resolve(import.meta.dirname, "../..");
const here = join(root, "renderer/languages");
const work = mkdtempSync(join(tmpdir(), "catalogs-"));
afterAll(() => rmSync(work, { recursive: true, force: true }));

type Item = InstanceType<typeof PO.Item>;

function itemsOf(folder: string, language: string): readonly Item[] {
  return PO.parse(readFileSync(join(folder, `${language}.po`), "utf8")).items;
}

/** The catalogs as `npm run languages` would write them. */
async function extracted(): Promise<string> {
  for (const file of readdirSync(here).filter((name) => name.endsWith(".po"))) {
    cpSync(join(here, file), join(work, file));
  }
  await updateCatalogs(work);
  return work;
}

const words = ({ msgid, msgid_plural: many }: Item): string => [msgid, many].filter(Boolean).join(" | ");
const current = await extracted();

it.each(names)("the catalog of %s has exactly the text of the pages", (language) => {
  const [kept, found] = [here, current].map((folder) => itemsOf(folder, language).map(words).toSorted());
  expect(kept, "run npm run languages").toEqual(found);
});

it.each(names)("the catalog of %s translates everything, with the same values", (language) => {
  for (const item of itemsOf(here, language)) {
    expect(
      item.msgstr.every((text) => text !== ""),
      `no translation: ${words(item)}`,
    ).toBe(true);
    for (const [form, text] of item.msgstr.entries()) {
      const source = form === 0 ? item.msgid : (item.msgid_plural ?? "");
      expect(valuesIn(text), `values of ${words(item)}`).toEqual(valuesIn(source));
    }
  }
});

it("mails have the translations of the catalogs", async () => {
  const kept = readFileSync(join(root, "app/mail/translations.json"), "utf8");
  expect(kept, "run npm run languages").toBe(await translationsOfMails(here));
});

it("the comments of a catalog depend only on the pages", async () => {
  const path = join(current, "en.po");
  const written = readFileSync(path, "utf8");
  // Comments that no file has any more.
  writeFileSync(path, written.replaceAll(/^#\. placeholder .*$/gm, "$&\n#. placeholder {0}: gone"));
  await updateCatalogs(current);
  expect(readFileSync(path, "utf8")).toBe(written);
});

it("no text has a space at an end, since catalogs trim it", async () => {
  const texts = itemsOf(here, "en");
  for (const file of new Set(texts.flatMap(({ references }) => references))) {
    const found = new Set(
      texts.filter(({ references }) => references.includes(file)).map(({ msgid }) => msgid),
    );
    for (const text of textsIn(file).filter((each) => each !== each.trim())) {
      expect(found.has(text.trim()), `${file}: ${JSON.stringify(text)}`).toBe(false);
    }
  }
});

/** The places of values in a text, sorted: "{0}", "<1/>", "#". */
function valuesIn(text: string): readonly string[] {
  return (text.match(/\{\d+\}|<\/?\d+\/?>|#/g) ?? []).toSorted();
}

/** The strings and templates of a file outside of markup, with their values as catalogs write them. */
function textsIn(file: string): readonly string[] {
  const { program } = parseSync(file, readFileSync(join(root, file), "utf8"));
  return nodesOf(program)
    .map((node) =>
      node.type === "TemplateLiteral"
        ? node.quasis.map(({ value }, at) => (at === 0 ? "" : `{${at - 1}}`) + (value.cooked ?? "")).join("")
        : textOf(node),
    )
    .filter((text) => text !== undefined);
}
