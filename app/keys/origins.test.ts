import { expect, it } from "vitest";
import { allowedOrigin } from "./origins.ts";

const chat = "https://chat.example.com";

it.each([
  ["nobody lists any", undefined, chat, "*"],
  ["the list is blank", " , ", chat, "*"],
  ["all are listed", "*", chat, "*"],
  ["it is listed", `http://localhost:5173, ${chat}`, chat, chat],
  ["it is listed with a slash and capitals", "HTTPS://Chat.example.com/", chat, chat],
  ["another one is listed", "https://example.com", chat, null],
  ["one with another port is listed", `${chat}:8443`, chat, null],
  ["a longer one is listed", `${chat}.evil.example`, chat, null],
  ["no browser calls", chat, null, null],
])("an origin, if %s", (_, allowed, origin, answer) => {
  expect(allowedOrigin(allowed, origin)).toBe(answer);
});
