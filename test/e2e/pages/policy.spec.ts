import type { Locator, Page } from "@playwright/test";
import { openDevices, openPage, signIn } from "../support/console.ts";
import { expect, test } from "../support/farm-test.ts";
import { invite, join } from "../support/people.ts";
import { chooseInRow } from "../support/row-menu.ts";

const rule = (page: Page, title: string): Locator => page.getByRole("group", { name: title, exact: true });
const unsaved = (page: Page): Locator => page.getByRole("region", { name: "Unsaved changes" });

async function saveRules(page: Page): Promise<void> {
  await unsaved(page).getByRole("button", { name: "Save" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Save" }).click();
}

test("saved rules apply on a device at once until an undo", async ({ farm, page }) => {
  const donor = await farm.startDonor("policy-1");
  await signIn(page, farm);
  await openDevices(page, "policy");
  const device = page.getByRole("row", { name: /policy-1/ });
  await expect(device).toContainText("Donating now");

  await openPage(page, "Policy");
  const donateNow = rule(page, "“Donate now”");
  await expect(donateNow).toContainText("Default: allowed. You can change it.");
  await donateNow.getByRole("switch", { name: "“Donate now”", exact: true }).click();
  await expect(donateNow).toContainText("Suggested by your organization: not allowed.");
  await donateNow.getByRole("switch", { name: "Lock “Donate now”" }).click();
  await expect(donateNow).toContainText("Set by your organization: not allowed.");
  await rule(page, "Hours").getByRole("combobox").selectOption("Only in these hours");
  await rule(page, "Hours").getByRole("button", { name: "Remove Hours, line 1" }).click();
  await rule(page, "Hours").getByRole("switch", { name: "Lock Hours" }).click();
  await expect(unsaved(page)).toContainText("2 unsaved changes");
  await saveRules(page);
  await expect(page.getByText("The rules were saved.")).toBeVisible();
  await expect(unsaved(page)).toHaveCount(0);
  await expect(page.getByRole("table", { name: "Version history" })).toContainText(
    "“Donate now”: not set → not allowed, locked",
  );

  await openDevices(page, "policy");
  await expect(device).toContainText("Outside its hours");
  await openPage(page, "Policy");
  await page.getByRole("button", { name: "Undo last save" }).click();
  await expect(page.getByRole("dialog")).toContainText("“Donate now”: not allowed, locked → not set");
  await page
    .getByRole("dialog")
    .getByRole("button", { name: /^(Reset rules|Restore)$/ })
    .click();
  await expect(donateNow).toContainText("Default: allowed. You can change it.");
  await openDevices(page, "policy");
  await expect(device).toContainText("Donating now");
  await openPage(page, "Audit trail");
  await expect(
    page.getByRole("row", { name: /Rules changed.*Hours: not set became never, locked/ }),
  ).toBeVisible();
  await expect(page.getByRole("row", { name: /Earlier rules restored/ }).first()).toBeVisible();
  await donor.stop();
});

test("a rule is edited with the keyboard only, and an invalid value cannot be saved", async ({
  farm,
  page,
}) => {
  await signIn(page, farm);
  await openPage(page, "Policy");
  const unused = rule(page, "Idle after");
  await unused.getByRole("textbox").focus();
  await page.keyboard.press("ControlOrMeta+a");
  await page.keyboard.type("5");
  await expect(unused.getByRole("alert")).toHaveText("Must be a whole number from 10 to 86,400.");
  await expect(unsaved(page).getByRole("button", { name: "Save" })).toBeDisabled();
  await page.keyboard.type("00");
  await expect(unused).toContainText("Suggested by your organization: 8 minutes, 20 seconds.");
  await page.keyboard.press("Tab");
  await expect(unused.getByRole("button", { name: "Reset Idle after" })).toBeFocused();
  await page.keyboard.press("Tab");
  await expect(unused.getByRole("switch", { name: "Lock Idle after" })).toBeFocused();
  await page.keyboard.press("Space");
  await expect(unused).toContainText("Set by your organization: 8 minutes, 20 seconds.");
  await unsaved(page).getByRole("button", { name: "Save" }).focus();
  await page.keyboard.press("Enter");
  await page.getByRole("dialog").getByLabel("Reason").focus();
  await page.keyboard.type("Quieter");
  await page.keyboard.press("Enter");
  await expect(page.getByText("The rules were saved.")).toBeVisible();
  await page.reload();
  await expect(unused.getByRole("textbox")).toHaveValue("500");

  await unused.getByRole("button", { name: "Reset Idle after" }).press("Enter");
  await expect(unused).toContainText("Default: 2 minutes. You can change it.");
  await openPage(page, "Queue");
  await openPage(page, "Policy");
  await expect(unsaved(page)).toContainText("1 unsaved change");
  await unsaved(page).getByRole("button", { name: "Discard" }).click();
  await expect(unused).toContainText("Set by your organization: 8 minutes, 20 seconds.");
  // Resets the locks: devices of later tests use "donate now", which a lock could forbid.
  await page.getByRole("button", { name: "Undo last save" }).click();
  await page
    .getByRole("dialog")
    .getByRole("button", { name: /^(Reset rules|Restore)$/ })
    .click();
  await expect(unused).toContainText("Default: 2 minutes. You can change it.");
});

test("rules that somebody else saved meanwhile are not overwritten", async ({ farm, page, browser }) => {
  await signIn(page, farm);
  await openPage(page, "Policy");
  await rule(page, "Quiet").getByRole("switch", { name: "Quiet", exact: true }).click();
  const colleague = await (await browser.newContext()).newPage();
  await signIn(colleague, farm);
  await openPage(colleague, "Policy");
  await rule(colleague, "Minimum battery charge").getByRole("textbox").fill("80");
  await saveRules(colleague);
  await expect(colleague.getByText("The rules were saved.")).toBeVisible();
  await expect(unsaved(page)).toContainText("Somebody else saved a newer version.");
  await expect(unsaved(page).getByRole("button", { name: "Save" })).toBeDisabled();
  await unsaved(page).getByRole("button", { name: "Discard" }).click();
  await expect(rule(page, "Minimum battery charge").getByRole("textbox")).toHaveValue("80");
});

test("a group's rules apply only on its devices", async ({ farm, page }) => {
  const inLab = await farm.startDonor("policy-lab");
  const elsewhere = await farm.startDonor("policy-elsewhere");
  await signIn(page, farm);
  await openDevices(page, "policy");
  const labDevice = page.getByRole("row", { name: /policy-lab/ });
  await chooseInRow(page, "policy-lab", "Edit groups");
  await page.getByLabel("Groups", { exact: true }).fill("lab");
  await page.getByRole("button", { name: "Save" }).click();
  await expect(labDevice).toContainText("lab");

  await openPage(page, "Policy");
  await page.getByLabel("Rules for").selectOption("Group lab");
  const networks = rule(page, "Only on these networks");
  await networks.getByRole("textbox").fill("No-Such-Network");
  await networks.getByRole("switch", { name: "Lock Only on these networks" }).click();
  await saveRules(page);
  await expect(page.getByText("The rules were saved.")).toBeVisible();
  await openDevices(page, "policy");
  await expect(labDevice).toContainText(/network/i);
  await expect(page.getByRole("row", { name: /policy-elsewhere/ })).toContainText("Donating now");
  await inLab.stop();
  await elsewhere.stop();
});

test("an auditor reads the rules and their history, and changes nothing", async ({ farm, page, browser }) => {
  await signIn(page, farm);
  await openPage(page, "Policy");
  await rule(page, "“Donate now”").getByRole("switch", { name: "“Donate now”", exact: true }).click();
  await saveRules(page);
  await expect(page.getByText("The rules were saved.")).toBeVisible();
  const theirs = await join(browser, await invite(page, "Ode", ["Auditor"]), "Ode");
  await openPage(theirs, "Policy");
  const donateNow = rule(theirs, "“Donate now”");
  await expect(donateNow).toContainText("not allowed");
  await expect(theirs.getByRole("region", { name: "Rules" })).toContainText("Hours");
  await expect(theirs.getByRole("region", { name: "Rules" }).getByRole("switch")).toHaveCount(0);
  await expect(theirs.getByRole("region", { name: "Rules" }).getByRole("button")).toHaveCount(0);
  await expect(theirs.getByText("Owners and administrators set these rules.")).toBeVisible();
  await expect(theirs.getByRole("table", { name: "Version history" })).toContainText("not allowed");
  await expect(theirs.getByRole("button", { name: /^(Undo last save|Restore|Save)/ })).toHaveCount(0);
  await openPage(page, "Policy");
  await page.getByRole("button", { name: "Undo last save" }).click();
  await page
    .getByRole("dialog")
    .getByRole("button", { name: /^(Reset rules|Restore)$/ })
    .click();
  await expect(page.getByText(/were reset|was restored/)).toBeVisible();
});
