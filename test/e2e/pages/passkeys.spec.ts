import type { CDPSession, Page } from "@playwright/test";
import { openPage } from "../support/console.ts";
import { expect, test } from "../support/farm-test.ts";

test.use({ farmName: "passkeys" });

/** A security key inside the browser, which checks its user by itself. */
async function addAuthenticator(page: Page): Promise<{ cdp: CDPSession; authenticatorId: string }> {
  const cdp = await page.context().newCDPSession(page);
  await cdp.send("WebAuthn.enable");
  const { authenticatorId } = await cdp.send("WebAuthn.addVirtualAuthenticator", {
    options: {
      protocol: "ctap2",
      transport: "internal",
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  });
  return { cdp, authenticatorId };
}

/** Passkeys belong to a name, so the console is opened at localhost. */
const atLocalhost = (url: string): string => url.replace("127.0.0.1", "localhost");

test("a member adds, names and uses passkeys, and a removed one signs nobody in", async ({ farm, page }) => {
  const { cdp, authenticatorId } = await addAuthenticator(page);
  const token = await farm.setup.makeSignInToken(farm.organization.organizationId);
  const home = atLocalhost(`${farm.backend.siteUrl}/console/`);
  await page.goto(`${home}#signin=${token}`);
  await expect(page.getByRole("heading", { name: "Overview" })).toBeVisible();
  await page.goto(`${home}#/account`);
  const card = page.getByRole("region", { name: "Passkeys" });
  await card.getByRole("button", { name: "Add a passkey" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Name").fill("Laptop");
  await dialog.getByRole("button", { name: "Continue" }).click();
  await expect(card.getByRole("list", { name: "Passkeys" })).toContainText("Laptop");
  await expect(card).toContainText("not used yet");
  await card.getByRole("button", { name: "Rename Laptop" }).click();
  await dialog.getByLabel("Name").fill("Work laptop");
  await dialog.getByRole("button", { name: "Rename" }).click();
  await expect(card.getByRole("listitem")).toContainText("Work laptop");

  const signOut = page.getByRole("complementary").getByRole("button", { name: "Sign out" });
  await signOut.click();
  const withPasskey = page.getByRole("button", { name: "Sign in with a passkey" });
  await withPasskey.click();
  await expect(signOut).toBeVisible();
  await page.goto(`${home}#/account`);
  await expect(page.getByRole("table", { name: "Sessions" })).toContainText("Passkey");
  await expect(card).toContainText("used");

  // A device that does not check its user counts as no second factor, so it is refused.
  await signOut.click();
  await cdp.send("WebAuthn.setUserVerified", { authenticatorId, isUserVerified: false });
  await withPasskey.click();
  await expect(page.getByText("The device used no passkey")).toBeVisible();
  await cdp.send("WebAuthn.setUserVerified", { authenticatorId, isUserVerified: true });
  await withPasskey.click();
  await page.goto(`${home}#/account`);
  await card.getByRole("button", { name: "Remove Work laptop" }).click();
  await dialog.getByRole("button", { name: "Remove" }).click();
  await expect(card.getByRole("list")).toHaveCount(0);
  await signOut.click();
  await withPasskey.click();
  await expect(page.getByText("This passkey is not known here.")).toBeVisible();
});

test("a passkey is all that an organization with a required second factor asks for", async ({
  farm,
  page,
}) => {
  await addAuthenticator(page);
  const token = await farm.setup.makeSignInToken(farm.organization.organizationId);
  await page.goto(atLocalhost(`${farm.backend.siteUrl}/console/#signin=${token}`));
  await openPage(page, "Sign-in");
  await page.getByLabel("Must have a second factor").selectOption({ index: 2 });
  await page.getByRole("region", { name: "Second factor" }).getByRole("button", { name: "Save" }).click();
  await expect(page.getByRole("heading", { name: "A second factor is required" })).toBeVisible();
  await page.getByRole("button", { name: "Add a passkey" }).click();
  await page.getByRole("dialog").getByLabel("Name").fill("Key");
  await page.getByRole("dialog").getByRole("button", { name: "Continue" }).click();
  await expect(page.getByRole("navigation")).toBeVisible();

  const again = await farm.setup.makeSignInToken(farm.organization.organizationId);
  await page.goto("about:blank");
  await page.goto(atLocalhost(`${farm.backend.siteUrl}/console/#signin=${again}`));
  await expect(page.getByText("Confirm with yours to go on.")).toBeVisible();
  await page.getByRole("button", { name: "Confirm with a passkey" }).click();
  await expect(page.getByRole("navigation")).toBeVisible();
});

test("passkeys are not offered at a number, and the page says where they are", async ({ farm, page }) => {
  await page.goto(`${farm.backend.siteUrl}/console/`);
  await expect(page.getByRole("button", { name: "Sign in", exact: true })).toBeVisible();
  await expect(page.getByRole("button", { name: "Sign in with a passkey" })).toHaveCount(0);
  const token = await farm.setup.makeSignInToken(farm.organization.organizationId);
  const { setup } = farm;
  await setup.makeSignInToken(farm.organization.organizationId, { resetSecondFactor: true });
  await page.goto(`${farm.backend.siteUrl}/console/#signin=${token}`);
  await expect(page.getByRole("region", { name: "Passkeys" })).toContainText("http://localhost:");
  await expect(page.getByRole("button", { name: "Add a passkey" })).toHaveCount(0);
});
