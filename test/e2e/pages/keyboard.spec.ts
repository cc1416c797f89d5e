import { openPage, signIn } from "../support/console.ts";
import { expect, test } from "../support/farm-test.ts";
import { walk } from "../support/keyboard.ts";

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
