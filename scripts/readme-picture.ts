// Takes the README's picture of a working farm: the console, with a donor's panel in front of it.
//   node scripts/readme-picture.ts   (after npm run build; GLEANER_CHROMIUM names the browser)
import { type Browser, chromium } from "@playwright/test";
import { ask, makeClient } from "../launch/farm/ask.ts";
import { startFarm } from "../launch/farm/farm.ts";
import { demoPrompts } from "../launch/farm/prompts.ts";
import { requireChromium } from "./browser.ts";

const executablePath = requireChromium();

const farm = await startFarm({ console: true });
const browser = await chromium.launch({ executablePath, args: ["--no-sandbox", "--disable-gpu"] });
try {
  const names = ["maria-laptop", "front-desk-pc", "lab-2"];
  const donors = await Promise.all(names.map((name) => farm.startDonor(name)));
  const client = makeClient(farm.backend.siteUrl, farm.organization.apiKey);
  // All at once, so that each device gets some of them.
  await Promise.all(demoPrompts(18).map((prompt) => ask(client, farm.modelId, prompt, false)));
  const token = farm.organization.signInToken;
  const desk = await picture(browser, `${farm.backend.siteUrl}/console/#signin=${token}`, 1280, 800);
  const panel = await picture(browser, String(donors[0]?.ready["panelUrl"]), 420, 640);
  const page = await browser.newPage({ viewport: { width: 1480, height: 880 }, deviceScaleFactor: 1 });
  await page.setContent(`
    <style>
      body { margin: 0; background: #dfe8e2; }
      img { position: absolute; border-radius: 12px; box-shadow: 0 12px 40px rgb(0 0 0 / 28%); }
    </style>
    <img src="${desk}" style="left: 40px; top: 40px; width: 1280px">
    <img src="${panel}" style="right: 40px; bottom: 30px; width: 400px">`);
  await page.screenshot({ path: "docs/images/console-and-panel.png" });
} finally {
  await browser.close();
  await farm.close();
}

async function picture(from: Browser, url: string, width: number, height: number): Promise<string> {
  const page = await from.newPage({ viewport: { width, height } });
  await page.goto(url);
  await page.waitForTimeout(1_500);
  const png = await page.screenshot();
  await page.close();
  return `data:image/png;base64,${png.toString("base64")}`;
}
