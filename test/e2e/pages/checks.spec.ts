import { allRules, findingsOf } from "../support/axe.ts";
import { openPage, signIn } from "../support/console.ts";
import { expect, test } from "../support/farm-test.ts";

// Other files' farms have other devices.
test.use({ farmName: "checks" });

test("an owner chooses what follows from checks of answers", async ({ farm, page }) => {
  await signIn(page, farm);
  await openPage(page, /^Checks/);
  await expect(page.getByText("No answer is in doubt")).toBeVisible();
  const card = page.getByRole("region", { name: "After a check" });
  await expect(card).toContainText("Nothing is taken from anybody.");
  await expect(card).not.toContainText("No answer can be checked yet");
  await farm.startDonor("only one");
  await expect(card).toContainText("No answer can be checked yet");
  expect(await findingsOf(page, allRules)).toEqual([]);
  await card.getByLabel("Checks of answers").selectOption("act");
  await expect(card).toContainText("A wrong answer is not paid");
  await card.getByRole("button", { name: "Save" }).click();
  await expect(page.getByText("The choice is saved.")).toBeVisible();
  await page.reload();
  await expect(card).toContainText("A wrong answer is not paid");
});

test("an administrator adds prompts of canaries", async ({ farm, page }) => {
  await signIn(page, farm);
  await openPage(page, /^Checks/);
  const card = page.getByRole("region", { name: "Canaries" });
  await expect(card).toContainText("No canary was asked yet");
  const save = card.getByRole("button", { name: "Save prompts" });
  await expect(save).toBeDisabled();
  const prompts = card.getByLabel("Your own prompts");
  await prompts.fill("x".repeat(501));
  await expect(card.getByRole("alert")).toContainText("too long");
  await prompts.fill("Greet {name}.\n\nDescribe {city}.");
  await save.click();
  await expect(page.getByText("The prompts are saved.")).toBeVisible();
  await page.reload();
  await expect(prompts).toHaveValue("Greet {name}.\nDescribe {city}.");
});
