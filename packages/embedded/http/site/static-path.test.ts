import { expect, test } from "vitest";
import { staticTarget } from "./static-path.ts";

const folder = { path: "/console", dir: "/srv/console" };

test.each([
  ["/console/", []],
  ["/console/assets/a.js", ["assets", "a.js"]],
  ["/console/jobs/", ["jobs"]],
  ["/console/na%20me", ["na me"]],
])("%s is a file below the folder", (path, segments) => {
  expect(staticTarget(folder, path)).toEqual({ kind: "file", segments });
});

test("the bare path redirects to the path with a slash, so that relative links work", () => {
  expect(staticTarget(folder, "/console")).toEqual({ kind: "redirect", to: "/console/" });
});

test.each(["/", "/consoles/x", "/v1/models"])("%s is outside of the folder's path", (path) => {
  expect(staticTarget(folder, path)).toBeNull();
});

test.each([
  "/console/../secret",
  "/console/%2e%2e/secret",
  "/console/..%2fsecret",
  "/console/a//b",
  "/console/.env",
  "/console/a\\..\\b",
  "/console/C%3A%5Cwindows",
  "/console/a%00.js",
  "/console/%E0%A4%A",
])("the path %s is refused", (path) => {
  expect(staticTarget(folder, path)).toEqual({ kind: "outside" });
});
