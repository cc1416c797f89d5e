import { expect, test } from "vitest";
import type { ComponentMount } from "./component-mounts.ts";
import { type HttpRoute, mountedPath } from "./http-mounts.ts";

const at = (prefix: string, child: string) => ({ prefix, child });
const get = (path: string) => ({ method: "GET", path });
const routed = (...routes: readonly HttpRoute[]) => ({ modules: { http: { routes } } });
const silent = { modules: { http: null } };

type Mount = Pick<ComponentMount, "httpMounts" | "httpPrefix"> & {
  readonly modules: { readonly http: { readonly routes: readonly HttpRoute[] } | null };
};
const mounts = (entries: readonly (readonly [path: string, mount: Mount])[]) => {
  const byPath = new Map(entries);
  return { get: (path: string) => byPath.get(path) ?? null };
};

const nested = mounts([
  ["", { httpPrefix: null, httpMounts: [at("/pay/", "pay"), at("/pay/v2/", "next")], ...silent }],
  ["pay", { httpPrefix: null, httpMounts: [at("/hooks/", "pay/hooks")], ...silent }],
]);

test.each([
  ["/", "", "/"],
  ["/payments", "", "/payments"],
  ["/pay", "", "/pay"],
  ["/pay/", "pay", "/"],
  ["/pay/now", "pay", "/now"],
  ["/pay/v2/now", "next", "/now"],
  ["/pay/hooks/stripe", "pay/hooks", "/stripe"],
])("%s is answered by %j as %s", (pathname, component, path) => {
  expect(mountedPath(nested, { pathname, method: "GET" })).toEqual({ component, path });
});

const routes = routed(get("/pay/exact"), get("/pay/*"), get("/pay/longer/*"), get("/*"));
const withRoutes = mounts([
  ["", { httpPrefix: null, httpMounts: [at("/pay/", "pay")], ...routes }],
  ["pay", { httpPrefix: null, httpMounts: [at("/hooks/", "pay/hooks")], ...routed(get("/hooks/exact")) }],
]);

test.each([
  ["an exact route wins", "GET", "/pay/exact", ""],
  ["HEAD is routed as GET", "HEAD", "/pay/exact", ""],
  ["a route of another method does not win", "POST", "/pay/exact", "pay"],
  ["a longer prefix wins", "GET", "/pay/longer/now", ""],
  ["of equal prefixes, the component's wins", "GET", "/pay/now", "pay"],
  ["a component's routes win over its children's prefixes", "GET", "/pay/hooks/exact", "pay"],
  ["a shorter prefix does not win", "GET", "/pay/hooks/now", "pay/hooks"],
])("%s: %s %s", (_, method, pathname, component) => {
  expect(mountedPath(withRoutes, { pathname, method })?.component).toBe(component);
});

test("the app's own prefix applies only to its own routes", () => {
  const app = { httpPrefix: "/app/", httpMounts: [at("/pay/", "pay"), at("/app/pay/", "pay")] };
  const behindPrefix = mounts([["", { ...app, ...routed(get("/pay/exact")) }]]);
  const find = (pathname: string) => mountedPath(behindPrefix, { pathname, method: "GET" });
  expect(find("/app/jobs")).toEqual({ component: "", path: "/jobs" });
  expect(find("/jobs")).toBeNull();
  expect(find("/pay/exact")).toEqual({ component: "pay", path: "/exact" });
  expect(find("/app/pay/exact")).toEqual({ component: "", path: "/pay/exact" });
});
