import { pages } from "../../../renderer/console/shell/pages.ts";
import { allRules, findingsOf } from "../support/axe.ts";
import { signIn } from "../support/console.ts";
import { expect, test } from "../support/farm-test.ts";
import { themes } from "../support/gallery.ts";

test("axe finds nothing on any page of the console, in light and dark and on a phone", async ({
  farm,
  page,
}) => {
  await page.emulateMedia({ reducedMotion: "reduce" });
  await signIn(page, farm);
  for (const width of [1280, 390]) {
    await page.setViewportSize({ width, height: 844 });
    for (const { id } of pages) {
      await page.goto(`${farm.backend.siteUrl}/console/#/${id}`);
      await expect(page.getByRole("status", { name: "Loading" })).toHaveCount(0);
      for (const colorScheme of themes) {
        await page.emulateMedia({ colorScheme });
        // A page may still be drawn: findings count if they stay.
        await expect
          .configure({ soft: true })
          .poll(() => findingsOf(page, allRules), { message: `${id} ${colorScheme} ${String(width)}` })
          .toEqual([]);
      }
    }
  }
});

test("axe finds nothing in the palette, the shortcuts, and the menu", async ({ farm, page }) => {
  await page.emulateMedia({ reducedMotion: "reduce" });
  await signIn(page, farm);
  await page.keyboard.press("Control+k");
  await page.keyboard.type("e");
  await expect(page.getByRole("option").first()).toBeVisible();
  expect(await findingsOf(page, allRules)).toEqual([]);
  await page.keyboard.press("Escape");
  await page.keyboard.press("?");
  await expect(page.getByRole("dialog")).toBeVisible();
  expect(await findingsOf(page, allRules)).toEqual([]);
  await page.keyboard.press("Escape");
  await page.setViewportSize({ width: 390, height: 844 });
  await page.getByRole("button", { name: "Menu" }).click();
  await expect(page.getByRole("dialog", { name: "Menu" })).toBeVisible();
  expect(await findingsOf(page, allRules)).toEqual([]);
});
