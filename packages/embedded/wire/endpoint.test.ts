import { expect, test } from "vitest";
import { localOrigins, localUrl, originsAt } from "./endpoint.ts";

test.each([
  ["127.0.0.1", "http://127.0.0.1:3210"],
  ["0.0.0.0", "http://127.0.0.1:3210"],
  ["::1", "http://[::1]:3210"],
  ["10.0.0.7", "http://10.0.0.7:3210"],
])("a server bound to %s is at %s", (host, url) => {
  expect(localUrl(host, 3210)).toBe(url);
});

test.each([
  ["127.0.0.1", "http://127.0.0.1:3210"],
  ["0.0.0.0", "http://127.0.0.1:3210"],
  ["10.0.0.7", "https://10.0.0.7:3210"],
  ["::1", "http://[::1]:3210"],
  ["2001:db8::1", "https://[2001:db8::1]:3210"],
])("with TLS, programs on this machine reach a server bound to %s at %s", (host, url) => {
  expect(localUrl(host, 3210, true)).toBe(url);
});

test("a page that came with TLS reaches the API with TLS", () => {
  const origins = localOrigins("http://127.0.0.1:3210", "office:3211", true);
  expect(origins).toEqual([
    ...["https://127.0.0.1:3210", "wss://127.0.0.1:3210"],
    ...["https://office:3210", "wss://office:3210"],
  ]);
});

test("a page reaches the API at its URL, or by the page's own host name", () => {
  const own = ["http://127.0.0.1:3210", "ws://127.0.0.1:3210"];
  const api = "http://127.0.0.1:3210";
  expect(localOrigins(api, "127.0.0.1:3211")).toEqual(own);
  expect(localOrigins(api, "office:3211")).toEqual([...own, "http://office:3210", "ws://office:3210"]);
  expect(localOrigins(api, "[::1]:3211")).toEqual([...own, "http://[::1]:3210", "ws://[::1]:3210"]);
});

test("a public API is reached by TLS, on its given port", () => {
  expect(originsAt("https://api.example.org")).toEqual(["https://api.example.org", "wss://api.example.org"]);
  expect(originsAt("https://api.example.org:8443")).toContain("wss://api.example.org:8443");
});

test.each(["a; script-src *", "a b", "", "a:b"])("the host %j is kept out of policies", (host) => {
  expect(localOrigins("http://127.0.0.1:3210", host)).toEqual(originsAt("http://127.0.0.1:3210"));
});
