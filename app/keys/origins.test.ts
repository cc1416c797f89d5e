import { expect, it } from "vitest";
import {
  allowedOrigin,
  listedOrigins,
  originBounds,
  originsMistake,
  parseOrigins,
  unionOf,
} from "./origins.ts";

const chat = "https://chat.example.com";

it.each([
  ["nobody lists any", undefined, chat, null],
  ["the list is blank", " , ", chat, null],
  ["all are listed", "*", chat, "*"],
  ["it is listed", `http://localhost:5173, ${chat}`, chat, chat],
  ["it is listed with a slash and capitals", "HTTPS://Chat.example.com/", chat, chat],
  ["it is listed with its default port", `${chat}:443`, chat, chat],
  [
    "it is listed with letters beyond ASCII",
    "https://Bücher.example",
    "https://xn--bcher-kva.example",
    "https://xn--bcher-kva.example",
  ],
  ["another one is listed", "https://example.com", chat, null],
  ["one with another port is listed", `${chat}:8443`, chat, null],
  ["a longer one is listed", `${chat}.evil.example`, chat, null],
  ["no browser calls", chat, null, null],
])("an origin, if %s", (_, variable, origin, answer) => {
  expect(allowedOrigin(listedOrigins(variable), origin)).toBe(answer);
});

it("typed origins are parsed, and written as browsers write them", () => {
  expect(
    parseOrigins(` ${chat}/\nHTTP://Localhost:5173 app://obsidian.md\n${chat}:443 http://localhost:80`),
  ).toEqual({
    kind: "ok",
    origins: [chat, "http://localhost:5173", "app://obsidian.md", "http://localhost"],
  });
  expect(parseOrigins(" \n ")).toEqual({ kind: "ok", origins: null });
  expect(parseOrigins("*")).toEqual({ kind: "ok", origins: ["*"] });
});

it.each([
  "chat.example.com",
  `${chat}/path`,
  `${chat}?a=b`,
  "https://a:b@chat.example.com",
  "https://:",
  "https://[",
  "https://a:b:c",
  "null",
  "https://*.example.com",
  `* ${chat}`,
  `https://${"a".repeat(originBounds.chars)}`,
  Array.from({ length: originBounds.most + 1 }, (_, at) => `https://page-${String(at)}.example`).join("\n"),
])("a wrong origin is refused: %.60s", (typed) => {
  expect(parseOrigins(typed)).toMatchObject({ kind: "wrong", why: expect.stringContaining("") });
});

it("a list that nobody has parsed is refused unless its origins are as browsers write them", () => {
  expect(originsMistake([chat, "app://obsidian.md", "http://[::1]:8080"])).toBeNull();
  for (const wrong of [`${chat}:443`, "https://Chat.example.com", "https://bücher.example"])
    expect(originsMistake([wrong])).toContain("is no origin");
});

it("several lists allow what one of them allows", () => {
  expect(unionOf([[chat], [chat, "http://localhost"]])).toEqual([chat, "http://localhost"]);
  expect(unionOf([[chat], null])).toBeNull();
  expect(unionOf([])).toEqual([]);
});
