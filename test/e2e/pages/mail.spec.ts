import type { Page } from "@playwright/test";
import {
  type Mailbox,
  mailPassword,
  mailUser,
  startMailbox,
} from "../../../convex/testing/mailbox.fixture.ts";
import { openPage, signIn } from "../support/console.ts";
import { expect, test } from "../support/farm-test.ts";

test.use({ farmName: "mail" });
// All need the mail server of the first test, also when one is tried again.
test.describe.configure({ mode: "serial" });

const email = "olga@example.org";

let mailbox: Mailbox;

test.beforeAll(async () => {
  mailbox = await startMailbox({ auth: true });
});

test.afterAll(async () => {
  await mailbox.close();
});

const linkIn = (text: string | undefined, kind: string): string =>
  new RegExp(`http\\S+#${kind}=[\\w-]+`).exec(text ?? "")?.[0] ?? "";

async function fillServer(page: Page, password: string): Promise<void> {
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Server", { exact: true }).fill("127.0.0.1");
  await dialog.getByLabel("Protection").selectOption({ index: 2 });
  await dialog.getByLabel("Port").fill(String(mailbox.port));
  await dialog.getByLabel("User").fill(mailUser);
  await dialog.getByLabel("Password").fill(password);
  await dialog.getByLabel("Sender’s address").fill("gleaner@example.org");
  await dialog.getByRole("button", { name: "Save" }).click();
  await expect(dialog).toHaveCount(0);
}

test("an owner sets a mail server, and a test mail tells in words what is wrong", async ({ farm, page }) => {
  await signIn(page, farm);
  await page.goto(`${farm.backend.siteUrl}/console/#/account`);
  await page.getByLabel("E-mail address").fill(email);
  await page.getByRole("button", { name: "Save" }).click();
  await openPage(page, "Sign-in");
  const card = page.getByRole("region", { name: "Mail", exact: true });
  await card.getByRole("button", { name: "Set a mail server" }).click();
  await fillServer(page, "wrong");
  await card.getByRole("button", { name: "Send a test mail" }).click();
  await expect(page.getByText(/The test mail was not sent: .*Wrong user or password/)).toBeVisible();
  await card.getByRole("button", { name: "Change" }).click();
  await fillServer(page, mailPassword);
  await card.getByRole("button", { name: "Send a test mail" }).click();
  await expect(page.getByText(`The server took a test mail to ${email}.`)).toBeVisible();
  expect(mailbox.mails.at(-1)).toMatchObject({ to: [email], from: "gleaner@example.org" });
});

test("an invitation is mailed, and its link makes a member", async ({ farm, page, browser }) => {
  await signIn(page, farm);
  await openPage(page, "People");
  await page.getByRole("button", { name: "Invite somebody" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Name", { exact: true }).fill("Bo");
  await dialog.getByLabel("E-mail address").fill("bo@example.org");
  await dialog.getByRole("checkbox", { name: "Requester" }).check();
  await dialog.getByRole("button", { name: "Create invitation" }).click();
  await expect(dialog).toContainText("The link was mailed to bo@example.org.");
  const theirs = await (await browser.newContext()).newPage();
  await theirs.goto(linkIn(mailbox.mails.at(-1)?.text, "invite"));
  await theirs.getByRole("button", { name: "Join" }).click();
  await expect(theirs.getByRole("navigation")).toBeVisible();
});

test("somebody who forgot the password gets a link, and strangers learn nothing", async ({ farm, page }) => {
  const before = mailbox.mails.length;
  await page.goto(`${farm.backend.siteUrl}/console/`);
  const ask = async (address: string): Promise<void> => {
    await page.getByRole("button", { name: "Forgot your password?" }).click();
    await page.getByLabel("E-mail address").fill(address);
    await page.getByRole("button", { name: "Mail me a link" }).click();
    await expect(page.getByText("If a member has this address, a link is on its way.")).toBeVisible();
    await page.getByRole("button", { name: "Back" }).click();
  };
  await ask("nobody@example.org");
  await ask(email);
  await expect.poll(() => mailbox.mails.length).toBe(before + 1);
  await page.goto("about:blank");
  await page.goto(linkIn(mailbox.mails.at(-1)?.text, "signin"));
  await expect(page.getByRole("navigation")).toBeVisible();
});
