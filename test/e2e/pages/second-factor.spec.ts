import type { Page } from "@playwright/test";
import { codeOf } from "../../../convex/model/secondFactor/totp.ts";
import type { Farm } from "../../../launch/farm/farm.ts";
import { openPage, signIn } from "../support/console.ts";
import { expect, test } from "../support/farm-test.ts";
import { invite, join } from "../support/people.ts";
import { chooseInRow } from "../support/row-menu.ts";

test.use({ farmName: "second factor" });

const password = "correct horse battery";
const email = "olga@example.org";

const accountOf = (farm: Farm): string => `${farm.backend.siteUrl}/console/#/account`;

const dialogOf = (page: Page) => page.getByRole("dialog");

/** Codes of the app, each of another step: the server accepts none twice. */
function appOf(secret: string): () => Promise<string> {
  let last = 0;
  return async () => {
    const step = (): number => Math.floor(Date.now() / 30_000);
    // The next step's code counts already, so a test seldom waits.
    while (step() + 1 <= last) await new Promise((resolve) => setTimeout(resolve, 500));
    last = Math.max(step(), last + 1);
    return codeOf(secret, last);
  };
}

/** Sets an app up in the open dialog. */
async function setUp(page: Page): Promise<{ nextCode: () => Promise<string>; recovery: readonly string[] }> {
  const dialog = dialogOf(page);
  await expect(dialog.getByRole("img", { name: "QR code" })).toBeVisible();
  await dialog.getByText("Type the secret instead").click();
  const secret = /([A-Z2-7]{4} ){7}[A-Z2-7]{4}/.exec(await dialog.innerText())?.[0] ?? "";
  const nextCode = appOf(secret.replaceAll(" ", ""));
  await dialog.getByLabel("Code", { exact: true }).fill(await nextCode());
  await dialog.getByRole("button", { name: "Confirm" }).click();
  await expect(dialog.getByRole("heading", { name: "Your recovery codes" })).toBeVisible();
  const recovery = (await dialog.innerText()).match(/[a-z2-7]{4}(-[a-z2-7]{4}){3}/g) ?? [];
  await dialog.getByRole("button", { name: "I have kept them" }).click();
  return { nextCode, recovery };
}

async function byPassword(page: Page): Promise<void> {
  await page.getByLabel("E-mail address").fill(email);
  await page.getByLabel("Password").fill(password);
  await page.getByLabel("Password").press("Enter");
  await expect(page.getByRole("heading", { name: "One more step" })).toBeVisible();
}

const signOut = async (page: Page): Promise<void> =>
  await page.getByRole("complementary").getByRole("button", { name: "Sign out" }).click();

// The tests use the owner's second factor one after the other.
test.describe.configure({ mode: "serial" });

let owner: { nextCode: () => Promise<string>; recovery: readonly string[] };

test("a member sets up a second factor, which their password then needs", async ({ farm, page }) => {
  await signIn(page, farm);
  await page.goto(accountOf(farm));
  await page.getByLabel("E-mail address").fill(email);
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByRole("button", { name: "Set a password" }).click();
  await dialogOf(page).getByLabel("New password").fill(password);
  await dialogOf(page).getByLabel("Again").fill(password);
  await dialogOf(page).getByRole("button", { name: "Set password" }).click();
  await expect(dialogOf(page)).toHaveCount(0);

  const card = page.getByRole("region", { name: "Second factor" });
  await card.getByRole("button", { name: "Set up" }).click();
  await dialogOf(page).getByLabel("Code", { exact: true }).fill("12");
  await dialogOf(page).getByRole("button", { name: "Confirm" }).click();
  await expect(dialogOf(page).getByText("This code is wrong.")).toBeVisible();
  owner = await setUp(page);
  expect(owner.recovery).toHaveLength(10);
  await expect(card).toContainText("10 recovery codes are left.");

  await signOut(page);
  await byPassword(page);
  await page.getByLabel("Code").fill("000000");
  await page.getByRole("button", { name: "Sign in" }).click();
  await expect(page.getByText("This code is wrong, or was used already.")).toBeVisible();
  await page.getByLabel("Code").fill(await owner.nextCode());
  await page.getByRole("button", { name: "Sign in" }).click();
  await expect(page.getByRole("navigation")).toBeVisible();
});

test("a recovery code takes the place of the app's code, and a link asks for one, too", async ({
  farm,
  page,
}) => {
  await page.goto(accountOf(farm));
  await byPassword(page);
  await page.getByLabel("Code").fill(owner.recovery[0] ?? "");
  await page.getByLabel("Code").press("Enter");
  await expect(page.getByRole("navigation")).toBeVisible();
  await page.goto(accountOf(farm));
  const card = page.getByRole("region", { name: "Second factor" });
  await expect(card).toContainText("9 recovery codes are left.");
  await card.getByRole("button", { name: "New recovery codes" }).click();
  await dialogOf(page).getByRole("button", { name: "Make new codes" }).click();
  await expect(dialogOf(page).getByRole("heading", { name: "New recovery codes" })).toBeVisible();
  await dialogOf(page).getByRole("button", { name: "I have kept them" }).click();
  await expect(card).toContainText("10 recovery codes are left.");

  await signOut(page);
  const token = await farm.setup.makeSignInToken(farm.organization.organizationId);
  await page.goto(`${farm.backend.siteUrl}/console/#signin=${token}`);
  await expect(page.getByRole("heading", { name: "One more step" })).toBeVisible();
  await page.getByLabel("Code").fill(await owner.nextCode());
  await page.getByLabel("Code").press("Enter");
  await expect(page.getByRole("navigation")).toBeVisible();
});

test("an organization requires it, a member sets it up before anything else, and an owner resets it", async ({
  farm,
  page,
  browser,
}) => {
  await page.goto(accountOf(farm));
  await byPassword(page);
  await page.getByLabel("Code").fill(await owner.nextCode());
  await page.getByLabel("Code").press("Enter");
  const theirs = await join(browser, await invite(page, "Bo", ["Requester"]), "Bo");
  await openPage(page, "Sign-in");
  await page
    .getByLabel("Must have a second factor")
    .selectOption({ label: "Everybody who signs in without single sign-on" });
  await page.getByRole("region", { name: "Second factor" }).getByRole("button", { name: "Save" }).click();
  await expect(page.getByText("The second factor was saved.")).toBeVisible();

  await expect(theirs.getByRole("heading", { name: "A second factor is required" })).toBeVisible();
  await expect(theirs.getByRole("navigation")).toHaveCount(0);
  await theirs.getByRole("button", { name: "Set up" }).click();
  await setUp(theirs);
  await expect(theirs.getByRole("navigation")).toBeVisible();

  await openPage(page, "People");
  await chooseInRow(page, "Bo", "Sessions");
  await dialogOf(page).getByRole("button", { name: "Reset second factor" }).click();
  await dialogOf(page).last().getByRole("button", { name: "Reset", exact: true }).click();
  await expect(page.getByText("The second factor of Bo was reset.")).toBeVisible();
  await expect(theirs.getByRole("heading", { name: "Your session has ended" })).toBeVisible();
});
