// Takes the pictures of docs/donor/desktop.md: the panel in each state of the tray icon, in light and dark.
//   node test/e2e/panel-states.ts docs/images   (GLEANER_CHROMIUM names the browser)
import { join } from "node:path";
import { chromium } from "@playwright/test";
import { requireChromium } from "../../scripts/browser.ts";
import { openStory, startGallery, themes } from "./support/gallery.ts";

/** In the order of the table in the page. */
const stories = [
  "panel-working",
  "panel-donating",
  "panel-in-use",
  "panel-paused",
  "panel-not-enrolled",
  "panel-offline",
];
const size = { width: 420, height: 420 };
const columns = 3;

const [folder] = process.argv.slice(2);
if (folder === undefined) throw new Error("Name the folder for the pictures.");
const gallery = await startGallery();
const browser = await chromium.launch({
  executablePath: requireChromium(),
  args: ["--no-sandbox", "--disable-gpu"],
});
try {
  for (const theme of themes) {
    const page = await browser.newPage({ timezoneId: "UTC", locale: "en-US", viewport: size });
    const pictures: string[] = [];
    for (const story of stories) {
      await openStory(page, gallery, story, theme);
      pictures.push((await page.screenshot({ animations: "disabled", caret: "hide" })).toString("base64"));
    }
    const sheet = await browser.newPage({
      viewport: {
        width: columns * (size.width + 16) - 16,
        height: (stories.length / columns) * (size.height + 16) - 16,
      },
    });
    const images = pictures.map((png) => `<img src="data:image/png;base64,${png}">`).join("");
    await sheet.setContent(
      `<body style="margin: 0; display: grid; grid-template-columns: repeat(${String(columns)}, auto); gap: 16px">${images}</body>`,
    );
    await sheet.screenshot({ path: join(folder, `panel-states-${theme}.png`), omitBackground: true });
    await sheet.close();
    await page.close();
  }
} finally {
  await browser.close();
  await gallery.close();
}
