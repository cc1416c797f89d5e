import type { Page } from "@playwright/test";
import { ssoRefusalWords } from "../../../app/people/single-sign-on.ts";
import {
  clientId,
  clientSecret,
  type OidcProvider,
  startOidcProvider,
} from "../../../convex/testing/oidcProvider.fixture.ts";
import type { Farm } from "../../../launch/farm/farm.ts";
import { openPage, signIn } from "../support/console.ts";
import { expect, test } from "../support/farm-test.ts";

test.use({ farmName: "sign-in" });

const password = "correct horse battery";
const email = "olga@example.org";

const consoleOf = (farm: Farm): string => `${farm.backend.siteUrl}/console/`;

/** Gives the owner an address. */
async function setAddress(page: Page, farm: Farm): Promise<void> {
  const session = await page.evaluate(() => {
    const key = Object.keys(localStorage).find((each) => each.startsWith("gleaner.session.")) ?? "";
    return localStorage.getItem(key) ?? "";
  });
  const response = await fetch(`${farm.backend.url}/api/mutation`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ path: "console/account:change", args: { session, email }, format: "json" }),
    signal: AbortSignal.timeout(10_000),
  });
  expect(await response.json()).toMatchObject({ status: "success" });
}

test("a member sets a password, and signs in with it and not with another", async ({ farm, page }) => {
  await signIn(page, farm);
  await setAddress(page, farm);
  await page.goto(`${consoleOf(farm)}#/account`);
  await page.getByRole("button", { name: "Set a password" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("New password").fill("password12345");
  await dialog.getByLabel("Again").fill("password12345");
  await dialog.getByRole("button", { name: "Set password" }).click();
  await expect(dialog.getByText(/guessers try first/)).toBeVisible();
  await dialog.getByLabel("New password").fill(password);
  await dialog.getByLabel("Again").fill(password);
  await dialog.getByRole("button", { name: "Set password" }).click();
  await expect(dialog).toHaveCount(0);
  await expect(page.getByText(new RegExp(`You sign in with ${email}`))).toBeVisible();

  await page.getByRole("complementary").getByRole("button", { name: "Sign out" }).click();
  await page.getByLabel("E-mail address").fill(email);
  await page.getByLabel("Password").fill("wrong horse battery");
  await page.getByLabel("Password").press("Enter");
  await expect(page.getByText("The e-mail address or the password is wrong.")).toBeVisible();
  await page.getByLabel("Password").fill(password);
  await page.getByLabel("Password").press("Enter");
  await expect(page.getByRole("complementary").getByRole("button", { name: "Sign out" })).toBeVisible();
});

/**
 * The server refuses these acts 30 minutes after the sign-in. A test cannot wait so long, so the first try of each gets that
 * refusal here. @returns how many tries got it.
 */
async function refuseOnce(page: Page, acts: readonly string[]): Promise<() => number> {
  const left = new Set(acts);
  await page.routeWebSocket(/\/sync$/, (socket) => {
    const server = socket.connectToServer();
    socket.onMessage((message) => {
      const sent = JSON.parse(String(message)) as { type: string; udfPath?: string; requestId?: number };
      if (!left.delete(sent.udfPath ?? "")) {
        server.send(message);
        return;
      }
      const errorData = { code: "proof_needed", message: "Confirm that it is you, and try again." };
      const refused = {
        type: "MutationResponse",
        success: false,
        result: "refused",
        errorData,
        logLines: [],
      };
      socket.send(JSON.stringify({ ...refused, requestId: sent.requestId }));
    });
  });
  return () => acts.length - left.size;
}

async function signInWithPassword(page: Page, farm: Farm): Promise<void> {
  await page.goto(consoleOf(farm));
  await page.getByLabel("E-mail address").fill(email);
  await page.getByLabel("Password").fill(password);
  await page.getByLabel("Password").press("Enter");
}

test("the dialog “Confirm it’s you” takes the password, and the act goes on", async ({ farm, page }) => {
  const refusals = await refuseOnce(page, ["console/people:createTeam"]);
  await signInWithPassword(page, farm);
  await openPage(page, "People");
  await page.getByRole("button", { name: "New team" }).click();
  await page.getByLabel("Name").fill("Lab");
  await page.getByRole("button", { name: "Create team" }).click();
  const proof = page.getByRole("dialog", { name: "Confirm it’s you" });
  await expect(proof).toContainText("This change lasts");
  await expect(page.getByText("Members of Lab")).toHaveCount(0);
  await proof.getByLabel("Password").fill("wrong horse battery");
  await proof.getByRole("button", { name: "Confirm" }).click();
  await expect(proof.getByText("This password is wrong.")).toBeVisible();
  await proof.getByLabel("Password").fill(password);
  await proof.getByRole("button", { name: "Confirm" }).click();
  await expect(proof).toHaveCount(0);
  await expect(page.getByRole("button", { name: "Members of Lab" })).toBeVisible();
  expect(refusals()).toBe(1);
});

test("a key is handed over, and revoked, after “Confirm it’s you”", async ({ farm, page }) => {
  const refusals = await refuseOnce(page, ["console/keys:setOwner", "console/keys:revoke"]);
  await signInWithPassword(page, farm);
  const confirm = async (): Promise<void> => {
    const proof = page.getByRole("dialog", { name: "Confirm it’s you" });
    await proof.getByLabel("Password").fill(password);
    await proof.getByRole("button", { name: "Confirm" }).click();
    await expect(proof).toHaveCount(0);
  };
  await openPage(page, "API keys");
  const key = page.getByRole("row").filter({ hasText: "sk-gleaner-" }).first();
  await key.getByRole("button", { name: /^More actions/ }).click();
  await page.getByRole("menuitem", { name: "Hand over" }).click();
  const dialog = page.getByRole("dialog", { name: /^Hand over/ });
  await dialog.getByRole("combobox").selectOption({ label: "Lab (team)" });
  await dialog.getByRole("button", { name: "Hand over" }).click();
  await confirm();
  await expect(dialog).toHaveCount(0);
  await expect(key).toContainText("Lab");
  await key.getByRole("button", { name: /^More actions/ }).click();
  await page.getByRole("menuitem", { name: "Revoke" }).click();
  const revoking = page.getByRole("dialog", { name: /^Revoke the key/ });
  await revoking.getByRole("button", { name: "Revoke" }).click();
  await confirm();
  await expect(key.getByText("Revoked")).toBeVisible();
  expect(refusals()).toBe(2);
});

test.describe("single sign-on", () => {
  let provider: OidcProvider;

  test.beforeAll(async ({ farm }) => {
    provider = await startOidcProvider(`${farm.backend.siteUrl}/auth/callback`, {
      ann: { groups: ["staff", "gleaner-admins"] },
      bob: { groups: ["staff"] },
      eve: { groups: ["cooks"] },
    });
  });

  test.afterAll(async () => {
    await provider.close();
  });

  /** Signs in at the provider's own pages. */
  async function visit(page: Page, farm: Farm, person: string): Promise<void> {
    await page.goto(consoleOf(farm));
    await page.getByRole("button", { name: "Sign in with Acme ID" }).click();
    await page.locator("input[name=login]").fill(person);
    await page.locator("input[name=password]").fill("any");
    await page.locator("button[type=submit]").click();
    await page.locator("button[type=submit]").click();
  }

  test("an owner sets a provider up, and its people get the roles of their groups", async ({
    farm,
    page,
    browser,
  }) => {
    await signIn(page, farm);
    await openPage(page, "Sign-in");
    await page.getByRole("button", { name: "Add provider" }).click();
    const dialog = page.getByRole("dialog");
    await expect(dialog).toContainText(`${farm.backend.siteUrl}/auth/callback`);
    await dialog.getByLabel("Name").fill("Acme ID");
    await dialog.getByLabel("Issuer").fill(provider.issuer);
    await dialog.getByLabel("Client ID").fill(clientId);
    await dialog.getByLabel("Client secret").fill(clientSecret);
    await dialog.getByLabel("Scopes").fill("openid email profile groups");
    await dialog.getByLabel("Roles of groups").fill("gleaner-admins: admin\nstaff: requester");
    await dialog.getByRole("button", { name: "Add provider" }).click();
    await expect(page.getByRole("row", { name: /Acme ID/ })).toContainText("In use");

    const ann = await (await browser.newContext()).newPage();
    await visit(ann, farm, "ann");
    await expect(ann.getByRole("link", { name: /keys/ })).toBeVisible();
    expect(ann.url()).not.toContain("sso=");
    await expect(ann.getByRole("link", { name: "Sign-in" })).toBeVisible();

    const bob = await (await browser.newContext()).newPage();
    await visit(bob, farm, "bob");
    await expect(bob.getByRole("link", { name: /keys/ })).toBeVisible();
    await expect(bob.getByRole("link", { name: "Sign-in" })).toHaveCount(0);

    const eve = await (await browser.newContext()).newPage();
    await visit(eve, farm, "eve");
    await expect(eve.getByText(/None of your groups has a role here/)).toBeVisible();
  });

  test("a person whom the provider has revoked does not come in again, until it lets them", async ({
    farm,
    page,
  }) => {
    provider.people["bob"]!.revoked = "after consent";
    await visit(page, farm, "bob");
    await expect(page.getByText(ssoRefusalWords("provider"))).toBeVisible();
    await expect(page.getByRole("button", { name: "Sign out" })).toHaveCount(0);
    await expect(page.getByRole("button", { name: "Sign in with Acme ID" })).toBeVisible();
    provider.people["bob"]!.revoked = false;
    await page.getByRole("button", { name: "Sign in with Acme ID" }).click();
    await expect(page.getByRole("link", { name: /keys/ })).toBeVisible();
  });
});
