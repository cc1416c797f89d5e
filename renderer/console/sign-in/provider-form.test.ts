import { expect, it } from "vitest";
import { emptyProvider, formOf, settingsOf } from "./provider-form.ts";

const form = { ...emptyProvider, name: "Acme ID", groups: "staff: requester, Donor\n\nCN=a:b: admin\n" };

it("reads a line for each group, also with a colon in its name", () => {
  expect(settingsOf(form)).toMatchObject({
    groups: [
      { group: "staff", roles: ["requester", "donor"] },
      { group: "CN=a:b", roles: ["admin"] },
    ],
  });
});

it("reads domains with commas or spaces", () => {
  expect(settingsOf({ ...form, emailDomains: "a.org, b.org  c.org" })).toMatchObject({
    emailDomains: ["a.org", "b.org", "c.org"],
  });
});

it("says which line or role it cannot read", () => {
  expect(settingsOf({ ...form, groups: "staff" })).toContain("no colon: staff");
  expect(settingsOf({ ...form, groups: "staff: boss" })).toContain("“boss” is no role");
});

it("shows settings as they were typed, but no secret", () => {
  const settings = settingsOf({ ...form, clientSecret: "hidden" });
  if (typeof settings === "string") throw new Error(settings);
  expect(formOf(settings)).toMatchObject({
    clientSecret: "",
    groups: "staff: requester, donor\nCN=a:b: admin",
  });
  expect(settingsOf(formOf(settings))).toEqual(settings);
});
