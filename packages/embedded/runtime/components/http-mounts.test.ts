import { expect, test } from "vitest";
import type { ComponentMount } from "./component-mounts.ts";
import { mountedPath } from "./http-mounts.ts";

const at = (prefix: string, child: string) => ({ prefix, child });
type Mounts = ReadonlyMap<string, Pick<ComponentMount, "httpMounts" | "httpPrefix">>;

const mounts: Mounts = new Map([
  ["", { httpPrefix: null, httpMounts: [at("/pay/", "pay"), at("/pay/v2/", "next")] }],
  ["pay", { httpPrefix: null, httpMounts: [at("/hooks/", "pay/hooks")] }],
]);
const behindPrefix: Mounts = new Map([["", { httpPrefix: "/app/", httpMounts: [at("/pay/", "pay")] }]]);
const get = (map: Mounts) => ({ get: (path: string) => map.get(path) ?? null });

test.each([
  ["/", "", "/"],
  ["/payments", "", "/payments"],
  ["/pay", "", "/pay"],
  ["/pay/", "pay", "/"],
  ["/pay/now", "pay", "/now"],
  ["/pay/v2/now", "next", "/now"],
  ["/pay/hooks/stripe", "pay/hooks", "/stripe"],
])("%s is answered by %j as %s", (pathname, component, path) => {
  expect(mountedPath(get(mounts), pathname)).toEqual({ component, path });
});

test("the app's own prefix applies only to its own routes", () => {
  expect(mountedPath(get(behindPrefix), "/app/jobs")).toEqual({ component: "", path: "/jobs" });
  expect(mountedPath(get(behindPrefix), "/jobs")).toBeNull();
  expect(mountedPath(get(behindPrefix), "/pay/now")).toEqual({ component: "pay", path: "/now" });
});
