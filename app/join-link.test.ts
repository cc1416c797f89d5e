import { expect, it } from "vitest";
import { appLink, joinLink, readJoinHash, readJoinLink } from "./join-link.ts";

const code = "GLN-7K2M-9QXD-4WHT";
const pin = `sha256:${"ab".repeat(32)}`;
const page = "https://office:3211/console/";

it.each([
  { url: "https://office:3210", pin },
  { url: "https://[fd00::7]:3210", pin },
  { url: "https://api.gleaner.example.org", pin: null },
  { url: "http://10.0.0.7:3210", pin: null },
])("reads the links that it makes for $url", ({ url, pin: pinned }) => {
  const invited = { code, server: url, pin: pinned };
  expect(readJoinLink(joinLink(page, { code, url, pin: pinned }))).toEqual(invited);
  expect(readJoinLink(` ${appLink({ code, url, pin: pinned })}\n`)).toEqual(invited);
  expect(readJoinHash(new URL(joinLink(page, { code, url, pin: pinned })).hash)).toEqual(invited);
});

it("reads the links of earlier versions, which name no server", () => {
  expect(readJoinLink(`${page}#join=${code}&pin=${pin}`)).toEqual({ code, server: null, pin });
  expect(readJoinLink(`${page}#join=${code}`)).toEqual({ code, server: null, pin: null });
});

it.each([
  "",
  "#/devices",
  `#join=${code};id`,
  `#join=$(id)&pin=${pin}`,
  `#join=${code}&pin=x`,
  `#join=${code}&server=https%3A%2F%2Fa.org%2F%24(id)`,
  `#join=${code}&server=%E0%A4%A`,
  `#join=${code}&server=ftp%3A%2F%2Fa.org`,
  `#join=${code}&pin=${pin}&server=https%3A%2F%2Fa.org`,
])("refuses the hash %s", (hash) => {
  expect(readJoinHash(hash)).toBeNull();
});

it.each([code, `file:///etc/passwd#join=${code}`, `javascript:alert(1)#join=${code}`])(
  "reads no invitation from %s",
  (text) => {
    expect(readJoinLink(text)).toBeNull();
  },
);
