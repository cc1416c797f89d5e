import type { Locator, Page } from "@playwright/test";
import { openDevices, openPage, signIn } from "../support/console.ts";
import { expect, test } from "../support/farm-test.ts";
import { elsewhere, invite, join } from "../support/people.ts";
import { chooseInRow } from "../support/row-menu.ts";

const dialogOf = (page: Page) => page.getByRole("dialog");

const memberRow = (page: Page, name: RegExp) =>
  page.getByRole("table", { name: "Members" }).getByRole("row", { name });

/** Pages of other people would keep asking the server during the later tests, and slow these down. */
test.afterEach(async ({ browser, page }) => {
  const others = browser.contexts().filter((context) => context !== page.context());
  await Promise.all(others.map(async (context) => await context.close()));
});

test("an invitation says who invites to what, makes a member once, and leaves no token", async ({
  farm,
  page,
  browser,
}) => {
  await signIn(page, farm);
  const link = await invite(page, "Ada", ["Requester"]);
  const pending = page.getByRole("table", { name: "Pending invitations" });
  await expect(pending.getByRole("row", { name: /Ada/ })).toContainText("Requester");

  const theirs = await elsewhere(browser, link);
  await expect(theirs.getByRole("heading", { name: "Join Demo organization" })).toBeVisible();
  await expect(theirs.getByText("Owner invites you to Demo organization")).toBeVisible();
  await expect(theirs.getByText("Has API keys, and sees their jobs and usage.")).toBeVisible();
  expect(theirs.url()).not.toContain("invite");
  await theirs.getByLabel("Your name").fill("");
  await theirs.getByRole("button", { name: "Join" }).click();
  await expect(theirs.getByText("Enter your name.")).toBeVisible();
  await theirs.getByLabel("Your name").fill("Ada Brandt");
  await theirs.getByRole("button", { name: "Join" }).click();
  await expect(theirs.getByRole("navigation").getByRole("link", { name: "My keys" })).toBeVisible();
  await expect(theirs.getByRole("navigation").getByRole("link", { name: "People" })).toHaveCount(0);

  await expect(memberRow(page, /Ada Brandt/)).toContainText("Requester");
  await expect(pending).toHaveCount(0);
  const again = await elsewhere(browser, link);
  await expect(again.getByText("This invitation was already accepted.")).toBeVisible();
});

test("an invitation that was revoked makes no member", async ({ farm, page, browser }) => {
  await signIn(page, farm);
  const link = await invite(page, "Mallory", ["Administrator"]);
  await page.getByRole("button", { name: "Revoke the invitation of Mallory" }).click();
  await dialogOf(page).getByRole("button", { name: "Revoke" }).click();
  await expect(page.getByText("Mallory", { exact: true })).toHaveCount(0);
  const theirs = await elsewhere(browser, link);
  await expect(theirs.getByText("This invitation was withdrawn.")).toBeVisible();
});

test("the search finds a member, and changed roles count at once in an open page", async ({
  farm,
  page,
  browser,
}) => {
  await signIn(page, farm);
  const theirs = await join(browser, await invite(page, "Bo", ["Auditor"]), "Bo Lind");
  await expect(theirs.getByRole("navigation").getByRole("link", { name: "Policy" })).toBeVisible();
  await page.getByRole("searchbox", { name: "Search" }).fill("lind");
  await expect(page.getByRole("table", { name: "Members" }).getByRole("row")).toHaveCount(2);
  await page.reload();
  await expect(page.getByRole("searchbox", { name: "Search" })).toHaveValue("lind");
  await page.getByRole("button", { name: "Edit Bo Lind" }).click();
  await dialogOf(page).getByRole("checkbox", { name: "Auditor" }).uncheck();
  await dialogOf(page).getByRole("checkbox", { name: "Requester" }).check();
  await dialogOf(page).getByRole("button", { name: "Save" }).click();
  await expect(memberRow(page, /Bo Lind/)).toContainText("Requester");
  await expect(theirs.getByRole("navigation").getByRole("link", { name: "Policy" })).toHaveCount(0);
});

test("a sign-in link works once, and the member's sessions can be ended", async ({ farm, page, browser }) => {
  await signIn(page, farm);
  await join(browser, await invite(page, "Chidi", ["Donor"]), "Chidi");
  await chooseInRow(page, "Chidi", "Sign-in link");
  const dialog = dialogOf(page);
  await dialog.getByRole("button", { name: "Create link" }).click();
  await expect(dialog).toContainText("#signin=");
  const link = /https?:\S+#signin=[\w-]+/.exec(await dialog.innerText())?.[0] ?? "";
  await dialog.getByRole("button", { name: "Done" }).click();
  const theirs = await elsewhere(browser, link);
  await expect(theirs.getByRole("navigation")).toBeVisible();
  await expect((await elsewhere(browser, link)).getByText("already used")).toBeVisible();

  await chooseInRow(page, "Chidi", "Sessions");
  await expect(dialog.getByRole("row", { name: /One-time link/ })).toContainText(/Chrome on/);
  await dialog.getByRole("button", { name: "End all sessions" }).click();
  await expect(dialog.getByText("Chidi is not signed in anywhere.")).toBeVisible();
  await expect(theirs.getByRole("heading", { name: "Your session has ended" })).toBeVisible();
});

test("a team gets members, another name, and goes", async ({ farm, page, browser }) => {
  await signIn(page, farm);
  await join(browser, await invite(page, "Dana", ["Donor"]), "Dana");
  await page.getByRole("button", { name: "New team" }).click();
  await dialogOf(page).getByLabel("Name").fill("Lab");
  await dialogOf(page).getByRole("button", { name: "Create team" }).click();
  await page.getByRole("button", { name: "Members of Lab" }).click();
  await dialogOf(page).getByLabel("Add somebody").fill("dana");
  await dialogOf(page).getByRole("button", { name: "Add Dana" }).click();
  await expect(dialogOf(page).getByRole("list", { name: "In the team" })).toContainText("Dana");
  await dialogOf(page).getByRole("button", { name: "Done" }).click();
  await chooseInRow(page, "Lab", "Rename");
  await dialogOf(page).getByLabel("Name").fill("Laboratory");
  await dialogOf(page).getByRole("button", { name: "Rename" }).click();
  await expect(memberRow(page, /Dana/)).toContainText("Laboratory");
  await chooseInRow(page, "Laboratory", "Remove");
  await dialogOf(page).getByRole("button", { name: "Remove" }).click();
  await expect(page.getByText("No teams yet")).toBeVisible();
});

test("an administrator gives credits and an allowance to a member and to a team", async ({
  farm,
  page,
  browser,
}) => {
  await signIn(page, farm);
  const theirs = await join(browser, await invite(page, "Gil", ["Requester"]), "Gil");
  const dialog = dialogOf(page);
  await page.getByRole("button", { name: "New team" }).click();
  await dialog.getByLabel("Name").fill("Course");
  await dialog.getByRole("button", { name: "Create team" }).click();
  await page.getByRole("button", { name: "Members of Course" }).click();
  await dialog.getByLabel("Add somebody").fill("gil");
  await dialog.getByRole("button", { name: "Add Gil" }).click();
  await dialog.getByRole("button", { name: "Done" }).click();
  const give = async (who: string, credits: string, reason: string) => {
    await chooseInRow(page, who, "Change credits");
    await dialog.getByLabel("Credits").fill(credits);
    await expect(dialog.getByRole("button", { name: "Save" })).toBeDisabled();
    await dialog.getByLabel("Reason").fill(reason);
    await dialog.getByRole("button", { name: "Save" }).click();
    await expect(dialog).toHaveCount(0);
  };
  const given = (row: Locator, credits: string) =>
    expect(row.getByTitle(`${credits} credits`, { exact: true })).toBeVisible();
  const team = page.getByRole("table", { name: "Teams" }).getByRole("row", { name: /Course/ });
  await give("Gil", "120", "For the thesis");
  await given(memberRow(page, /Gil/), "120");
  await give("Course", "40", "For the exercises");
  await given(team, "40");

  await openPage(theirs, "My credits");
  const available = theirs.getByRole("region", { name: "Available" });
  await expect(available).toContainText("120 cr of it were given by administrators");
  await expect(available.getByRole("button", { name: "Give to a colleague or team" })).toBeDisabled();
  const changes = theirs.getByRole("table", { name: "Changes" });
  await expect(
    changes.getByRole("row", { name: /Given by the administrator Owner.*For the thesis/ }),
  ).toBeVisible();

  await page.getByRole("button", { name: "Undo" }).last().click();
  await given(team, "0");
  await chooseInRow(page, "Gil", "Change credits");
  await dialog.getByLabel("Change").selectOption("Take credits back");
  await dialog.getByLabel("Credits").fill("121");
  await expect(dialog).toContainText("That is more than what is left.");
  await dialog.getByLabel("Credits").fill("20");
  await dialog.getByLabel("Reason").fill("Too many");
  await dialog.getByRole("button", { name: "Save" }).click();
  await given(memberRow(page, /Gil/), "100");
  await expect(available.getByTitle("100 credits", { exact: true })).toBeVisible();

  await chooseInRow(page, "Gil", "Set an allowance");
  await dialog.getByLabel("Unused credits").selectOption("Count them, and top up to the amount");
  await dialog.getByLabel("Credits", { exact: true }).fill("250");
  await dialog.getByLabel("Reason").fill("Each month of the thesis");
  await dialog.getByRole("button", { name: "Save" }).click();
  const terms = /Allowance: topped up to 250 credits each month, next /;
  await expect(page.getByText(terms)).toBeVisible();
  await expect(available.getByText(terms)).toContainText("Each month of the thesis");
  await chooseInRow(page, "Gil", "End the allowance");
  await expect(available.getByText(terms)).toHaveCount(0);
  await page.getByRole("button", { name: "Undo" }).last().click();
  await expect(available.getByText(terms)).toBeVisible();

  await openPage(page, "Audit trail");
  await expect(
    page.getByRole("row", { name: /Credits of a member or a team changed.*Gil.*120 given: For the thesis/ }),
  ).toBeVisible();
});

test("a member changes their own name, sees their sessions and ends the others", async ({
  farm,
  page,
  browser,
}) => {
  await signIn(page, farm);
  const theirs = await join(browser, await invite(page, "Eve", ["Requester"]), "Eve");
  await chooseInRow(page, "Eve", "Sign-in link");
  await dialogOf(page).getByRole("button", { name: "Create link" }).click();
  await expect(dialogOf(page)).toContainText("#signin=");
  const link = /https?:\S+#signin=[\w-]+/.exec(await dialogOf(page).innerText())?.[0] ?? "";
  const other = await elsewhere(browser, link);
  await expect(other.getByRole("navigation")).toBeVisible();

  await theirs.getByRole("link", { name: "Eve: your account" }).click();
  await expect(theirs.getByRole("heading", { name: "Account", exact: true })).toBeVisible();
  await theirs.getByLabel("Name").fill("Eve Sommer");
  await theirs.getByLabel("E-mail address").fill("Eve@acme.example");
  await theirs.getByRole("button", { name: "Save" }).click();
  await expect(theirs.getByRole("link", { name: "Eve Sommer: your account" })).toBeVisible();
  await expect(theirs.getByLabel("E-mail address")).toHaveValue("eve@acme.example");
  const sessions = theirs.getByRole("table", { name: "Sessions" });
  await expect(sessions.getByRole("row", { name: /Invitation/ })).toContainText("This session");
  await theirs.getByRole("button", { name: "End all others" }).click();
  await expect(other.getByRole("heading", { name: "Your session has ended" })).toBeVisible();
  await expect(sessions.getByRole("row")).toHaveCount(2);
  await theirs.getByRole("main").getByRole("button", { name: "Sign out" }).click();
  await expect(theirs.getByRole("heading", { name: "You are signed out" })).toBeVisible();
});

test("an owner sets when idle sessions end", async ({ farm, page }) => {
  await signIn(page, farm);
  await openPage(page, "People");
  const limit = page.getByLabel("A session that nobody uses ends after");
  await expect(limit).toHaveValue("720");
  await limit.selectOption({ label: "15 minutes" });
  await page.getByRole("button", { name: "Save" }).click();
  await expect(page.getByText("The idle time was saved.")).toBeVisible();
  await page.reload();
  await expect(limit).toHaveValue("15");
});

test("a device belongs to its code's owner, and goes to another member by name", async ({
  farm,
  page,
  browser,
}) => {
  await signIn(page, farm);
  await join(browser, await invite(page, "Finn", ["Donor"]), "Finn");
  await openPage(page, "Enrollment codes");
  await page.getByRole("button", { name: "New code" }).click();
  const dialog = dialogOf(page);
  await dialog.getByLabel("Label").fill("For Finn");
  await dialog.getByLabel("Its devices belong to").selectOption({ label: "Finn" });
  await dialog.getByRole("button", { name: "Create code" }).click();
  await expect(dialog).toContainText(/GLN-\w{4}-\w{4}-\w{4}/);
  const code = /GLN-\w{4}-\w{4}-\w{4}/.exec(await dialog.innerText())?.[0] ?? "";
  await page.keyboard.press("Escape");
  const donor = await farm.startDonor("finns-laptop", { enrollmentCode: code });
  await openDevices(page, "finns");
  const row = page.getByRole("row", { name: /finns-laptop/ });
  await expect(row).toContainText("Of Finn");
  await chooseInRow(page, "finns-laptop", "Hand over");
  await dialog.getByLabel("New owner").selectOption({ label: "Owner" });
  await dialog.getByRole("button", { name: "Hand over" }).click();
  await expect(row).toContainText("Of Owner");
  await donor.stop();
});

test("a member is removed only with an answer about their keys", async ({ farm, page, browser }) => {
  await signIn(page, farm);
  const theirs = await join(browser, await invite(page, "Gwen", ["Requester"]), "Gwen");
  await theirs.getByRole("navigation").getByRole("link", { name: "My keys" }).click();
  await theirs.getByRole("button", { name: "New key" }).click();
  await theirs.getByLabel("Name").fill("Gwens key");
  await theirs.getByRole("button", { name: "Create key" }).click();
  await expect(dialogOf(theirs)).toContainText("sk-gleaner-");

  await expect(memberRow(page, /Gwen/).getByRole("cell", { name: "1", exact: true })).toBeVisible();
  await chooseInRow(page, "Gwen", "Remove");
  const dialog = dialogOf(page);
  await expect(dialog.getByRole("group", { name: "Gwen owns 1 key" })).toBeVisible();
  await expect(dialog.getByRole("button", { name: "Remove" })).toBeDisabled();
  await dialog.getByLabel("New owner").selectOption({ label: "Owner" });
  await dialog.getByRole("button", { name: "Remove" }).click();
  await expect(memberRow(page, /Gwen/)).toHaveCount(0);
  await expect(theirs.getByRole("heading", { name: "Your session has ended" })).toBeVisible();
  await openPage(page, "API keys");
  const row = page.getByRole("row", { name: /Gwens key/ });
  await expect(row.getByRole("cell", { name: "Owner", exact: true })).toBeVisible();
  await expect(row).toContainText("Active");
});

test("a donor and a requester start at what is theirs, without the fleet", async ({
  farm,
  page,
  browser,
}) => {
  await signIn(page, farm);
  const donor = await join(browser, await invite(page, "Hana", ["Donor"]), "Hana");
  await expect(donor.getByRole("heading", { name: "My devices", level: 1 })).toBeVisible();
  await expect(donor.getByText("No device is yours yet")).toBeVisible();
  const requester = await join(browser, await invite(page, "Ivo", ["Requester"]), "Ivo");
  await expect(requester.getByRole("heading", { name: "My keys", level: 1 })).toBeVisible();
  await requester.getByRole("navigation").getByRole("link", { name: "My jobs" }).click();
  await expect(requester.getByRole("heading", { name: "My jobs", level: 1 })).toBeVisible();
  await expect(requester.getByText("This page cannot be shown")).toHaveCount(0);
});

const changes =
  /^(Add|New|Create|Change|Edit|Retire|Revoke|Pause|Drain|Resume|Remove|Replace|Invite|Roll out|Save|Approve|Cancel|Retry|Restore|Undo|Reset)\b/;

/** Verbs of changes that the table of rights does not give to a role. */
const refused: readonly (readonly [role: string, verbs: RegExp])[] = [
  ["Auditor", changes],
  [
    "Operator",
    /^(Add model|Edit|Retire [a-z]|Change prices|New key|Create token|Remove token|Invite|Restore)/,
  ],
  ["Requester", /^(Add model|Edit|Change prices|New code|Change limits|Create token|Invite|Pause|Drain)/],
  ["Donor", /^(Add model|Edit|Change prices|New code|New key|Change limits|Create token|Invite|Drain)/],
];

/** Waits until the buttons of a page stay the same, because its queries have answered. Its times never do. */
async function settle(main: Locator): Promise<void> {
  await expect(main).not.toBeEmpty();
  let before = "";
  for (let polls = 0; polls < 20; polls += 1) {
    await main.page().waitForTimeout(700);
    const buttons = (await main.getByRole("button").allInnerTexts()).join("\n");
    if (polls > 0 && buttons === before) return;
    before = buttons;
  }
}

/** Opens each page of the navigation. Returns the buttons with these verbs. */
async function buttonsOnAllPages(theirs: Page, verbs: RegExp): Promise<readonly string[]> {
  const links = theirs.getByRole("navigation").getByRole("link");
  const main = theirs.getByRole("main");
  const names = (await links.allInnerTexts()).map((name) => name.trim()).filter((name) => name !== "");
  expect(names.length).toBeGreaterThan(1);
  const found: string[] = [];
  for (const name of names) {
    await links.filter({ hasText: name }).first().click();
    await settle(main);
    await expect(theirs.getByText("This page cannot be shown")).toHaveCount(0);
    if (!theirs.url().includes("account"))
      found.push(...(await main.getByRole("button", { name: verbs }).allInnerTexts()));
  }
  return found;
}

for (const [role, verbs] of refused) {
  test(`the role ${role} sees every page of its navigation, and no button that the server refuses`, async ({
    farm,
    page,
    browser,
  }) => {
    test.setTimeout(300_000);
    await signIn(page, farm);
    const theirs = await join(browser, await invite(page, `Robin ${role}`, [role]), `Robin ${role}`);
    expect(await buttonsOnAllPages(theirs, verbs)).toEqual([]);
  });
}

test("an administrator sees the buttons that others do not", async ({ farm, page, browser }) => {
  test.setTimeout(180_000);
  await signIn(page, farm);
  const theirs = await join(browser, await invite(page, "Robin Admin", ["Administrator"]), "Robin Admin");
  const buttons = await buttonsOnAllPages(theirs, changes);
  for (const button of ["Add model", "Change prices", "New code", "New key", "Create token", "Change limits"])
    expect(buttons).toContain(button);
});
