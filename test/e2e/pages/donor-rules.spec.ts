import type { Page } from "@playwright/test";
import { openPage, signIn } from "../support/console.ts";
import { askFor, expect, test, tokensLasting } from "../support/farm-test.ts";

test.use({ viewport: { width: 420, height: 640 } });

test("a donor changes a rule and resets it", async ({ farm, page }) => {
  const donor = await farm.startDonor("rules-1");
  await openSettings(page, String(donor.ready["panelUrl"]));
  const rule = page.getByRole("group", { name: "Idle after" });
  await expect(rule).toContainText("Default");
  await rule.getByRole("combobox").selectOption({ label: "5 minutes" });
  await expect(rule).toContainText("Your choice");

  await page.reload();
  await page.getByRole("tab", { name: "Settings" }).click();
  await expect(rule.getByRole("combobox")).toHaveValue("300");
  await rule.getByRole("button", { name: /Undo/ }).click();
  await expect(rule).toContainText("Default");
  await expect(rule.getByRole("combobox")).toHaveValue("120");
  await donor.stop();
});

test("hours apply only once they are saved", async ({ farm, page }) => {
  const donor = await farm.startDonor("rules-2");
  await openSettings(page, String(donor.ready["panelUrl"]));
  const rule = page.getByRole("group", { name: "Hours", exact: true });
  await rule.getByRole("button", { name: "Edit Hours" }).click();
  await rule.getByRole("combobox", { name: "Hours" }).selectOption({ label: "Only in these hours" });
  await rule.getByRole("button", { name: "Cancel" }).click();
  await expect(rule).toContainText("at any hour");

  await rule.getByRole("button", { name: "Edit Hours" }).click();
  await rule.getByRole("combobox", { name: "Hours" }).selectOption({ label: "Only in these hours" });
  await rule.getByRole("button", { name: "Remove Hours, line 1" }).click();
  await rule.getByRole("button", { name: "Save" }).click();
  await expect(rule).toContainText("never");
  await page.getByRole("button", { name: "Stop donating now" }).click();
  await expect(status(page)).toContainText("Outside its hours");

  await rule.getByRole("button", { name: "Edit Hours" }).click();
  await rule.getByRole("button", { name: "Choose by price or carbon" }).click();
  const prices = Array.from({ length: 24 }, (_, hour) => (hour < 6 ? "0.12" : "0.31"));
  await rule.getByRole("textbox", { name: "Price or carbon" }).fill(prices.slice(1).join("\n"));
  await rule.getByRole("textbox", { name: "at most" }).fill("0.2");
  await expect(rule.getByRole("alert")).toContainText("These are 23 numbers");
  await rule.getByRole("textbox", { name: "Price or carbon" }).fill(prices.join("\n"));
  await expect(rule).toContainText("42 hours of a week.");
  await rule.getByRole("textbox", { name: "at most" }).press("Enter");
  await rule.getByRole("button", { name: "Save" }).click();
  await expect(rule).toContainText("daily 00:00–06:00");
  await donor.stop();
});

test("donors see locked rules and cannot change them", async ({ farm, page, browser }) => {
  const donor = await farm.startDonor("rules-3");
  await openSettings(page, String(donor.ready["panelUrl"]));
  await page.getByText("Power and heat").click();
  const rule = page.getByRole("group", { name: "On battery" });
  await rule.getByRole("switch").click();
  await expect(rule).toContainText("Your choice");

  const console = await (await browser.newContext({ viewport: { width: 1280, height: 800 } })).newPage();
  await signIn(console, farm);
  await openPage(console, "Policy");
  await console.getByRole("switch", { name: "Lock On battery" }).click();
  await console.getByRole("button", { name: /^Save/ }).click();
  await console.getByRole("dialog").getByRole("button", { name: "Save" }).click();
  await expect(rule).toContainText("Set by your organization");
  await expect(rule.getByRole("switch")).toHaveCount(0);
  await expect(rule).toContainText("no");

  await console.getByRole("switch", { name: "Lock On battery" }).click();
  await console.getByRole("button", { name: /^Save/ }).click();
  await console.getByRole("dialog").getByRole("button", { name: "Save" }).click();
  await expect(rule).not.toContainText("Set by your organization");
  await donor.stop();
});

test("a pause lasts until the chosen moment", async ({ farm, page }) => {
  const donor = await farm.startDonor("rules-4");
  await page.goto(String(donor.ready["panelUrl"]));
  await expect(status(page)).toContainText("“Donate now” is on");
  await page.getByRole("button", { name: "Pause" }).click();
  await page.getByRole("menuitem", { name: "Choose a time…" }).click();
  const dialog = page.getByRole("dialog", { name: "Pause until" });
  await dialog.getByLabel("Date and time").fill("2020-01-01T10:00");
  await dialog.getByRole("button", { name: "Pause" }).click();
  await expect(dialog).toContainText("past");
  const tomorrow = new Date(Date.now() + 24 * 3_600_000).toISOString().slice(0, 10);
  await dialog.getByLabel("Date and time").fill(`${tomorrow}T10:15`);
  await dialog.getByRole("button", { name: "Pause" }).click();
  await expect(status(page)).toContainText("Paused by you");
  await expect(status(page)).toContainText("10:15");
  await page.getByRole("button", { name: "Resume" }).click();
  await expect(status(page)).not.toContainText("Paused by you");
  await donor.stop();
});

test("the donor finishes the current job and then pauses", async ({ slowFarm, page }) => {
  const donor = await slowFarm.startDonor("rules-5");
  await page.goto(String(donor.ready["panelUrl"]));
  await expect(status(page)).toContainText("“Donate now” is on");
  const tokens = await tokensLasting(slowFarm, 8);
  let answered = false;
  const asked = askFor(slowFarm, "Count.", slowFarm.organization.apiKey, tokens).then(() => {
    answered = true;
  });
  await expect(page.getByText("Writing the answer")).toBeVisible();
  await page.getByRole("button", { name: "Pause" }).click();
  await page.getByRole("menuitem", { name: "Finish this job, then pause" }).click();
  await expect(status(page)).toContainText("Finishing, then pausing");
  expect(answered).toBe(false);
  await asked;
  await expect(status(page)).toContainText("Paused by you");
  await donor.stop();
});

test("an open menu keeps its entries when the job ends", async ({ slowFarm, page }) => {
  const donor = await slowFarm.startDonor("rules-7");
  await page.goto(String(donor.ready["panelUrl"]));
  await expect(status(page)).toContainText("“Donate now” is on");
  const tokens = await tokensLasting(slowFarm, 4);
  const asked = askFor(slowFarm, "Count.", slowFarm.organization.apiKey, tokens);
  await expect(page.getByText("Writing the answer")).toBeVisible();
  await page.getByRole("button", { name: "Pause" }).click();
  const menu = page.getByRole("menu", { name: "Pause" });
  const finish = menu.getByRole("menuitem", { name: "Finish this job, then pause" });
  await expect(finish).toBeVisible();
  const entries = await menu.getByRole("menuitem").allInnerTexts();
  await asked;
  await expect(page.getByText("Waiting for your organization's next job.")).toBeVisible();
  expect(await menu.getByRole("menuitem").allInnerTexts()).toEqual(entries);
  await finish.click();
  await expect(status(page)).toContainText("Paused by you");
  await donor.stop();
});

test("the panel shows every fact with its age, and names the sources in the diagnostics", async ({
  farm,
  page,
}) => {
  const donor = await farm.startDonor("rules-6");
  await page.goto(String(donor.ready["panelUrl"]));
  await page.getByRole("button", { name: "Show all" }).click();
  const facts = page.getByRole("region", { name: "This computer" });
  await expect(facts).toContainText("Free memory");
  await expect(facts).toContainText(/(just now|s ago)/);
  await expect(facts).toContainText("Microphone in use");
  await expect(facts).not.toContainText("/proc");
  await page.getByRole("tab", { name: "About" }).click();
  // The text does not change while it is shown, and the process with the model starts a moment later.
  await expect(async () => {
    await page.getByRole("button", { name: "Show diagnostics" }).click();
    const text = await page.getByRole("group", { name: "The text of the diagnostics" }).innerText();
    await page.getByRole("button", { name: "Hide" }).click();
    expect(text).toContain("(/proc/meminfo");
    expect(text).toMatch(/Confinement of the model's process: files \w+, network \w+/);
  }).toPass();
  await donor.stop();
});

async function openSettings(page: Page, url: string): Promise<void> {
  await page.goto(url);
  await page.getByRole("tab", { name: "Settings" }).click();
}

function status(page: Page) {
  return page.getByRole("region", { name: "Status" });
}
