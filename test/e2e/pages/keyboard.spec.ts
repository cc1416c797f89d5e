import type { Page } from "@playwright/test";
import { openPage, signIn } from "../support/console.ts";
import { expect, test } from "../support/farm-test.ts";

test("dialogs of the console work with the keyboard, and return the focus", async ({ farm, page }) => {
  await signIn(page, farm);
  await openPage(page, "Enrollment codes");
  const dialog = page.getByRole("dialog");
  const newCode = page.getByRole("button", { name: "New code" });
  await newCode.focus();
  await page.keyboard.press("Enter");
  await expect(dialog.getByLabel("Label")).toBeFocused();
  await page.keyboard.type("Keyboard users");
  await page.keyboard.press("Tab");
  await expect(dialog.getByLabel("Number of devices")).toBeFocused();
  await page.keyboard.press("Tab");
  await page.keyboard.press("Tab");
  await expect(dialog.getByLabel("Its devices belong to")).toBeFocused();
  await page.keyboard.press("Tab");
  await page.keyboard.press("Space");
  const approval = dialog.getByRole("switch", { name: "Approve each device" });
  await expect(approval).toBeChecked();
  await dialog.getByText("Approve each device", { exact: true }).click();
  await expect(approval).not.toBeChecked();
  await dialog.getByLabel("Label").press("Enter");
  await expect(dialog.getByRole("button", { name: "Copy the code" })).toBeFocused();
  const code = /GLN-\w{4}-\w{4}-\w{4}/.exec(await dialog.innerText())?.[0] ?? "";
  await page.keyboard.press("Escape");
  await expect(dialog).toHaveCount(0);
  await expect(newCode).toBeFocused();

  const donor = await farm.startDonor("keyboard-1", { enrollmentCode: code });
  const devices = page.getByRole("button", { name: "Devices of Keyboard users" });
  await devices.focus();
  await page.keyboard.press("Enter");
  await expect(dialog.getByRole("button", { name: "Close" })).toBeFocused();
  await expect(dialog.getByRole("button", { name: "Retire all…" })).toBeVisible();
  await page.keyboard.press("Tab");
  await expect(dialog.getByRole("button", { name: "Retire all…" })).toBeFocused();
  await page.keyboard.press("Enter");
  await expect(dialog).toContainText("1 device: 1 retire.");
  await expect(dialog.getByRole("button", { name: "Change nothing" })).toBeFocused();
  await page.keyboard.press("Escape");
  await expect(dialog).toHaveCount(0);
  await expect(devices).toBeFocused();
  await donor.stop();
});

/** No page has more controls than this. */
const mostStops = 300;

/** Why the focus is out of sight. "" if it is in sight, and "end" if it left the page. */
async function problemOfFocus(page: Page): Promise<string> {
  return await page.evaluate(() => {
    const element = document.activeElement;
    if (!(element instanceof HTMLElement) || element === document.body) return "end";
    const { x, y, width, height } = element.getBoundingClientRect();
    const above = document.elementFromPoint(x + width / 2, y + height / 2);
    const isSeen = above !== null && (element.contains(above) || above.contains(element));
    const { outlineStyle, boxShadow } = getComputedStyle(element);
    // The browser itself marks the button inside a field for a date.
    const hasMark =
      outlineStyle !== "none" ||
      boxShadow !== "none" ||
      element.matches("[type=date], [type=datetime-local]");
    const name = element.ariaLabel ?? element.innerText;
    return isSeen && hasMark ? "" : `${name} is ${hasMark ? "covered" : "not marked"}`;
  });
}

/** Presses Tab through the whole page. */
async function walk(page: Page, address: string): Promise<void> {
  for (let stop = 0; stop < mostStops; stop++) {
    await page.keyboard.press("Tab");
    // The tooltip of the last control may cover this one until it is gone.
    await expect
      .poll(() => problemOfFocus(page), { message: `${address}, stop ${String(stop)}` })
      .toMatch(/^(end)?$/);
    if ((await problemOfFocus(page)) === "end") return;
  }
  throw new Error(`${address} has more than ${String(mostStops)} stops.`);
}

test("Tab goes through each page on a phone, and the focus is always in sight", async ({ farm, page }) => {
  test.setTimeout(240_000);
  const donor = await farm.startDonor("keyboard-2");
  await signIn(page, farm);
  const links = page.getByRole("navigation").getByRole("link");
  const pages = await links.evaluateAll((all) => all.map((link) => link.getAttribute("href") ?? ""));
  await openPage(page, /^Devices/);
  const device = await page.getByRole("link", { name: "keyboard-2" }).getAttribute("href");
  await page.setViewportSize({ width: 390, height: 844 });
  for (const address of [...pages, device ?? "", "#/account"]) {
    await page.evaluate((hash) => {
      window.location.hash = hash;
    }, address);
    await expect(page.getByRole("heading", { level: 1 })).toBeFocused();
    await expect(page.getByRole("status", { name: "Loading" })).toHaveCount(0);
    await walk(page, address);
  }
  await donor.stop();
});
