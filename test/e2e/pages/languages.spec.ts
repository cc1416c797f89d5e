import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import PO from "pofile";
import { pages } from "../../../renderer/console/shell/pages.ts";
import { expect, test } from "../support/farm-test.ts";

const file = resolve(import.meta.dirname, "../../../renderer/languages/de.po");
const catalog = new Map(
  PO.parse(readFileSync(file, "utf8")).items.map(({ msgid, msgstr }) => [msgid, msgstr[0]]),
);

function german(text: string): string {
  const translated = catalog.get(text);
  if (translated === undefined) throw new Error(`no German for ${text}`);
  return translated;
}

test.use({ locale: "de-DE", farmName: "languages" });

test("a German browser shows every page in German, and a member chooses another language", async ({
  farm,
  page,
}) => {
  await page.goto(`${farm.backend.siteUrl}/console/`);
  await expect(page.getByRole("heading", { name: german("Sign in") })).toBeVisible();

  const token = await farm.setup.makeSignInToken(farm.organization.organizationId);
  await page.goto(`${farm.backend.siteUrl}/console/#signin=${token}`);
  const heading = page.getByRole("heading", { level: 1 });
  await expect(heading).toHaveText(german("Overview"));
  await expect(page.locator("html")).toHaveAttribute("lang", "de-DE");
  for (const { id, label } of pages) {
    await page.evaluate((to) => (window.location.hash = `#/${to}`), id);
    await expect(heading).toHaveText(german(label));
    await expect(page.getByRole("status", { name: german("Loading") })).toHaveCount(0);
  }

  await page.getByLabel(german("Language of this browser")).selectOption("English");
  await expect(heading).toHaveText("Account");
  await expect(page.locator("html")).toHaveAttribute("lang", "en-US");
  await page.reload();
  await expect(heading).toHaveText("Account");
  await page.getByLabel("Language of this browser").selectOption("As the browser has it (Deutsch)");
  await expect(heading).toHaveText(german("Account"));
});

test("a typed amount may have a decimal comma", async ({ farm, page }) => {
  const token = await farm.setup.makeSignInToken(farm.organization.organizationId);
  await page.goto(`${farm.backend.siteUrl}/console/#signin=${token}`);
  await expect(page.getByRole("heading", { level: 1 })).toHaveText(german("Overview"));
  await page.evaluate(() => (window.location.hash = "#/usage"));
  await page.getByRole("button", { name: german("Set a budget") }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel(german("API key")).selectOption({ index: 1 });
  await dialog.getByLabel(german("Credits a month")).fill("1.234,5");
  await dialog.getByRole("button", { name: german("Save") }).click();
  await expect(page.getByRole("table", { name: german("Budgets") })).toContainText("1.234,5 cr");
});

test("a refusal of the server is in the language of the page", async ({ farm, page }) => {
  const token = await farm.setup.makeSignInToken(farm.organization.organizationId);
  await page.goto(`${farm.backend.siteUrl}/console/#signin=${token}`);
  await expect(page.getByRole("heading", { level: 1 })).toHaveText(german("Overview"));
  await page.evaluate(() => (window.location.hash = "#/people"));
  const dialog = page.getByRole("dialog");
  for (const refused of [false, true]) {
    await page.getByRole("button", { name: german("New team") }).click();
    await dialog.getByLabel(german("Name")).fill("Physik");
    await dialog.getByRole("button", { name: german("Create team") }).click();
    const refusal = page.getByText(german("A team of this name exists already."));
    if (refused) await expect(refusal).toBeVisible();
    else await expect(dialog).toBeHidden();
  }
});
