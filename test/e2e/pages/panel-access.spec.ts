import { expect, type Locator, test } from "@playwright/test";
import { type Gallery, openStory, startGallery, storiesOf } from "../support/gallery.ts";
import { walk } from "../support/keyboard.ts";

/** Each page of the panel, as its pictures show it, for people who need large letters or use no mouse. */
let gallery: Gallery;
test.beforeAll(async () => {
  gallery = await startGallery();
});
test.afterAll(() => gallery.close());
test.use({ bypassCSP: true });

const isOfPanel = (story: string): boolean => /^(panel|first-run|switch)/.test(story);

test("no page of the panel scrolls sideways at 150 and 200 percent, with long German words either", async ({
  browser,
}) => {
  test.setTimeout(600_000);
  for (const width of [280, 210]) {
    const page = await browser.newPage({
      timezoneId: "UTC",
      locale: "de-DE",
      viewport: { width, height: 640 },
    });
    for (const story of (await storiesOf(page, gallery)).filter(isOfPanel)) {
      await openStory(page, gallery, story, "light");
      const wide = await page.evaluate(() => {
        const { scrollWidth, clientWidth } = document.documentElement;
        if (scrollWidth <= clientWidth) return [];
        const all = [...document.body.querySelectorAll("*")];
        const parts = all.filter((element) => element.getBoundingClientRect().right > clientWidth + 1);
        return parts.slice(-1).map((element) => `${element.tagName} ${element.textContent.slice(0, 40)}`);
      });
      expect.soft(wide, `${story} at ${String(width)}`).toEqual([]);
    }
    await page.close();
  }
});

test("at 150 percent nothing is cut off: the organization, its server, the filters and the settings", async ({
  page,
}) => {
  await page.setViewportSize({ width: 280, height: 1_100 });
  const isWhole = (element: Locator): Promise<boolean> =>
    element.evaluate(({ scrollWidth, clientWidth }) => scrollWidth <= clientWidth);
  await openStory(page, gallery, "panel-working", "light");
  expect(await isWhole(page.getByText("Northwind Research"))).toBe(true);
  await openStory(page, gallery, "first-run-consent", "light");
  const server = page.getByText("gleaner.office.example:3210");
  expect((await server.boundingBox())?.height).toBeLessThan(30);
  await openStory(page, gallery, "panel-history", "light");
  expect((await page.getByLabel("First day").boundingBox())?.width).toBeGreaterThan(200);
  await openStory(page, gallery, "panel-settings", "light");
  const hint = page.getByText("How long without input until a computer counts as idle.");
  expect((await hint.boundingBox())?.width).toBeGreaterThan(150);
});

test("a pressed tab has no ring of the focus, and one that the keyboard reached has", async ({ page }) => {
  await openStory(page, gallery, "panel-working", "light");
  const ring = (): Promise<string | undefined> =>
    page.evaluate(
      () => `${document.activeElement?.matches(":focus-visible")} ${document.activeElement?.textContent}`,
    );
  await page.getByRole("tab", { name: "Earnings" }).click();
  expect(await ring()).toBe("false Earnings");
  await page.keyboard.press("ArrowRight");
  // Radix moves the focus a moment later.
  await expect.poll(ring).toBe("true History");
});

test("a page that asks for consent begins at its title, and a second Enter agrees to nothing", async ({
  page,
}) => {
  await openStory(page, gallery, "first-run-consent", "light");
  await expect(page.getByRole("heading", { name: "Join Demo organization?" })).toBeFocused();
});

test("Tab goes through each page of the panel, and the focus is always in sight", async ({ page }) => {
  test.setTimeout(240_000);
  await page.setViewportSize({ width: 420, height: 640 });
  for (const story of [
    "first-run",
    "first-run-consent",
    "panel-working",
    "panel-start-at-login",
    "panel-not-enrolled",
    "panel-earnings",
    "panel-history",
    "panel-models",
    "panel-why",
    "panel-settings",
    "panel-about",
  ]) {
    await openStory(page, gallery, story, "light");
    await walk(page, story);
  }
});

test("a computer that cannot join opens the text that its administrator needs", async ({ page }) => {
  await openStory(page, gallery, "panel-not-enrolled", "light");
  // Its form is beside the status.
  await expect(page.getByRole("button", { name: "Join your organization" })).toHaveCount(0);
  await openStory(page, gallery, "panel-untrusted-server", "light");
  await page.getByRole("button", { name: "Show details for your administrator" }).click();
  await expect(page.getByRole("button", { name: "Copy diagnostics" })).toBeFocused();
});
