import { expect, it } from "vitest";
import { joinLink } from "../../app/join-link.ts";
import { invitedTo, isUnencrypted } from "./invited-to.ts";

const code = "GLN-7K2M-9QXD-4WHT";
const pin = `sha256:${"ab".repeat(32)}`;

it("takes the server, its pin and the code from a link", () => {
  const link = joinLink("https://office:3211/console/", { code, url: "https://office:3210", pin });
  expect(invitedTo({ invitation: { link } })).toEqual({
    kind: "invited",
    to: { url: "https://office:3210", pin, code },
  });
});

it.each([
  ["gleaner.example.org", "https://gleaner.example.org"],
  ["office:3210", "https://office:3210"],
  ["https://office:3210/console/", "https://office:3210"],
  ["http://127.0.0.1:3210", "http://127.0.0.1:3210"],
])("takes the typed address %s as %s", (server, url) => {
  expect(invitedTo({ invitation: { server, code, announcedPin: null } })).toMatchObject({
    to: { url, pin: null, code },
  });
});

it("takes an address without a code for a sign-in", () => {
  expect(invitedTo({ invitation: { server: "office:3210", announcedPin: pin } })).toEqual({
    kind: "invited",
    to: { url: "https://office:3210", pin, code: null },
  });
});

it.each([
  { server: "ftp://office", code, announcedPin: null },
  { server: "my server", code, announcedPin: null },
  { link: "https://example.org/" },
  { link: code },
])("says what is wrong with %j", (invitation) => {
  expect(invitedTo({ invitation })).toMatchObject({ kind: "refused" });
});

it("names the code of a link without a server", () => {
  const read = invitedTo({ invitation: { link: `https://office/console/#join=${code}` } });
  expect(read).toMatchObject({ kind: "refused", message: expect.stringContaining(code) as string });
});

it("knows which servers are reached without encryption", () => {
  expect(
    ["http://office:3210", "http://127.0.0.1:3210", "https://office"].map((url) => isUnencrypted({ url })),
  ).toEqual([true, false, false]);
});
