import { expect, test } from "vitest";
import { localUrl, originsForPage } from "./endpoint.ts";

test.each([
  ["127.0.0.1", "http://127.0.0.1:3210"],
  ["0.0.0.0", "http://127.0.0.1:3210"],
  ["::1", "http://[::1]:3210"],
  ["10.0.0.7", "http://10.0.0.7:3210"],
])("what is bound to %s is at %s", (host, url) => {
  expect(localUrl(host, 3210)).toBe(url);
});

test("a page reaches the API by the name that it was itself reached by", () => {
  expect(originsForPage("office:3211", 3210)).toEqual(["http://office:3210", "ws://office:3210"]);
  expect(originsForPage("[::1]:3211", 3210)).toEqual(["http://[::1]:3210", "ws://[::1]:3210"]);
});

test.each(["a; script-src *", "a b", "", "a:b"])("%j gets into no policy", (host) => {
  expect(originsForPage(host, 3210)).toBeNull();
});
