// Takes a picture of each story of the gallery: every page, in light and dark, in a window and on a phone.
//   node test/e2e/screenshots.ts FOLDER [PART-OF-A-NAME] [LOCALE, e.g. de-DE]   (GLEANER_CHROMIUM names the browser)
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { chromium } from "@playwright/test";
import { requireChromium } from "../../scripts/browser.ts";
import { openStory, startGallery, storiesOf, themes } from "./support/gallery.ts";

const [folder, part = "", locale = "en-US"] = process.argv.slice(2);
if (folder === undefined) throw new Error("Name the folder for the pictures.");
const executablePath = requireChromium();

await mkdir(folder, { recursive: true });
const gallery = await startGallery();
const browser = await chromium.launch({ executablePath, args: ["--no-sandbox", "--disable-gpu"] });
try {
  const page = await browser.newPage({ timezoneId: "UTC", locale });
  const stories = (await storiesOf(page, gallery)).filter((story) => story.includes(part));
  for (const width of [1280, 390]) {
    await page.setViewportSize({ width, height: 844 });
    for (const story of stories) {
      for (const theme of themes) {
        await openStory(page, gallery, story, theme);
        await page.screenshot({
          path: join(folder, `${story}.${theme}.${String(width)}.png`),
          fullPage: true,
        });
      }
    }
  }
} finally {
  await browser.close();
  await gallery.close();
}
