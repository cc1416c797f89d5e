import { existsSync } from "node:fs";
import { mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, type Page, test } from "@playwright/test";
import { allRules, colorRules, findingsOf } from "../support/axe.ts";
import { type Gallery, openStory, startGallery, storiesOf, themes } from "../support/gallery.ts";
import {
  differingShare,
  isKeptIn,
  isOfDonor,
  looks,
  type Machine,
  machineOf,
  smallPicture,
} from "../support/pictures.ts";

/** The kept pictures. `GLEANER_KEEP_PICTURES=1` takes them anew. */
const folder = join(import.meta.dirname, "../gallery");
const keeps = process.env["GLEANER_KEEP_PICTURES"] === "1";
const machineFile = join(folder, "machine.json");
/** The share of a picture that may differ. Drawing again changes up to 0.0003 of it, and some words more than this. */
const tolerance = 0.0004;

let gallery: Gallery;
test.beforeAll(async () => {
  gallery = await startGallery();
});
test.afterAll(() => gallery.close());
// The drawing that tells machines apart has styles of its own.
test.use({ timezoneId: "UTC", locale: "en-US", bypassCSP: true });

async function reasonToSkip(page: Page): Promise<string | null> {
  if (!existsSync(machineFile)) return "there are no pictures yet: GLEANER_KEEP_PICTURES=1 takes them";
  const kept = JSON.parse(await readFile(machineFile, "utf8")) as Machine;
  const here = await machineOf(page, gallery);
  if (kept.chromium !== here.chromium) {
    return `the pictures are from Chromium ${kept.chromium}, and this is ${here.chromium}`;
  }
  return kept.drawing === here.drawing ? null : "this machine draws letters or lines otherwise than theirs";
}

test("each story looks as it did", async ({ page }) => {
  test.setTimeout(1_200_000);
  const stories = await storiesOf(page, gallery);
  if (keeps) {
    await rm(folder, { recursive: true, force: true });
    await mkdir(folder, { recursive: true });
    await writeFile(machineFile, `${JSON.stringify(await machineOf(page, gallery), null, 2)}\n`);
  }
  const reason = await reasonToSkip(page);
  test.skip(reason !== null, reason ?? "");
  const seen = new Set<string>();
  for (const look of looks) {
    const { width, theme } = look;
    await page.setViewportSize({ width, height: 844 });
    for (const story of stories.filter((each) => isKeptIn(look, each))) {
      const name = `${story}.${theme}.${String(width)}.webp`;
      seen.add(name);
      const take = async (): Promise<string> => {
        await openStory(page, gallery, story, theme);
        return await smallPicture(page, width);
      };
      let picture = await take();
      const file = join(folder, name);
      // One drawing of hundreds differs from all others.
      for (let again = keeps ? await take() : picture; again !== picture; again = await take())
        picture = again;
      if (keeps) await writeFile(file, Buffer.from(picture, "base64"));
      const kept = existsSync(file) ? (await readFile(file)).toString("base64") : null;
      if (kept === null) {
        expect.soft(kept, `${name} is new: GLEANER_KEEP_PICTURES=1 takes the pictures`).not.toBeNull();
        continue;
      }
      let share = await differingShare(page, kept, picture);
      // A difference that another picture does not have is no change of the look.
      for (let again = 0; share > tolerance && again < 2; again += 1) {
        picture = await take();
        share = await differingShare(page, kept, picture);
      }
      if (share > tolerance) {
        await test.info().attach(name, { body: Buffer.from(picture, "base64"), contentType: "image/webp" });
      }
      expect.soft(share, name).toBeLessThanOrEqual(tolerance);
    }
  }
  const unused = (await readdir(folder)).filter((name) => name.endsWith(".webp") && !seen.has(name));
  expect(unused, "pictures without a story").toEqual([]);
});

test("the documentation shows each state of the donor, in both themes", async ({ page }) => {
  const text = await readFile(join(import.meta.dirname, "../../../docs/donor/pictures.md"), "utf8");
  const stories = (await storiesOf(page, gallery)).filter(isOfDonor);
  const shown = [...text.matchAll(/^\| `([^`]+)`/gm)].map(([, story]) => story ?? "");
  expect(shown.toSorted()).toEqual(stories.toSorted());
  for (const story of stories)
    for (const { width, theme } of looks) expect(text).toContain(`/${story}.${theme}.${String(width)}.webp)`);
});

/** A story of components is no whole page, so it has no landmarks and no heading of its own. */
const componentRules = {
  rules: {
    ...allRules.rules,
    region: { enabled: false },
    "page-has-heading-one": { enabled: false },
    "landmark-one-main": { enabled: false },
  },
};

test("axe finds nothing in any story, in light and dark", async ({ page }) => {
  test.setTimeout(900_000);
  for (const story of await storiesOf(page, gallery)) {
    const rules = story.startsWith("console") ? allRules : componentRules;
    for (const theme of themes) {
      await openStory(page, gallery, story, theme);
      // The themes differ in nothing but their colors.
      const asked = theme === "light" ? rules : { ...rules, runOnly: colorRules };
      expect.soft(await findingsOf(page, asked), `${story} ${theme}`).toEqual([]);
    }
  }
});

test("no table is wider than a small laptop's window, with long German words either", async ({ browser }) => {
  test.setTimeout(600_000);
  const page = await browser.newPage({
    timezoneId: "UTC",
    locale: "de-DE",
    viewport: { width: 1280, height: 844 },
  });
  // A person who chooses many columns of devices wants them all.
  const stories = (await storiesOf(page, gallery)).filter((story) => story !== "console-devices-columns");
  for (const story of stories) {
    await openStory(page, gallery, story, "light");
    const wide = await page
      .locator("table")
      .evaluateAll((tables) =>
        tables
          .filter(({ clientWidth, parentElement }) => clientWidth > (parentElement?.clientWidth ?? 0))
          .map((table) => table.getAttribute("aria-label")),
      );
    expect.soft(wide, story).toEqual([]);
  }
  await page.close();
});

test("every tab is whole, also with long German words and with letters of twice the size", async ({
  browser,
}) => {
  // The panel's window at 100, 150 and 200 percent, and a phone.
  for (const width of [420, 280, 210, 390]) {
    const page = await browser.newPage({
      timezoneId: "UTC",
      locale: "de-DE",
      viewport: { width, height: 640 },
    });
    for (const story of ["panel-working", "panel-earnings", "console-usage", "console-key-made"]) {
      await openStory(page, gallery, story, "light");
      const rows = await page.getByRole("tablist").evaluateAll((lists) =>
        lists.map((list) => {
          const box = list.getBoundingClientRect();
          const tabs = [...list.children].map((tab) => tab.getBoundingClientRect());
          return {
            isCut: list.scrollWidth > list.clientWidth || box.right > document.documentElement.clientWidth,
            rows: new Set(tabs.map(({ top }) => top)).size,
          };
        }),
      );
      expect(rows.length, story).toBeGreaterThan(0);
      for (const { isCut } of rows) expect.soft(isCut, `${story} at ${String(width)}`).toBe(false);
      // The window that most people see has one row.
      if (width === 420 && story.startsWith("panel")) expect.soft(rows, story).toMatchObject([{ rows: 1 }]);
    }
    await page.close();
  }
});

test("all that needs attention can be shown, and hidden again", async ({ page }) => {
  await openStory(page, gallery, "console-attention-many", "light");
  const entries = page.getByRole("main").getByRole("listitem");
  await expect(entries).toHaveCount(6);
  await page.getByRole("button", { name: "Show 2 more" }).click();
  await expect(entries).toHaveCount(8);
  await page.getByRole("button", { name: "Show fewer" }).click();
  await expect(entries).toHaveCount(6);
});

test("other words and another color are seen, and the same look is not", async ({ page }) => {
  await page.setViewportSize({ width: 1280, height: 844 });
  await openStory(page, gallery, "components", "light");
  const before = await smallPicture(page, 1280);
  expect(await differingShare(page, before, await smallPicture(page, 1280))).toBeLessThanOrEqual(tolerance);
  const changes = [
    () => document.querySelector("h2")?.replaceChildren("Knobs and dials of every kind"),
    () => document.querySelector("button")?.style.setProperty("background-color", "purple"),
  ];
  for (const change of changes) {
    await openStory(page, gallery, "components", "light");
    await page.evaluate(change);
    expect(await differingShare(page, before, await smallPicture(page, 1280))).toBeGreaterThan(tolerance);
  }
});
