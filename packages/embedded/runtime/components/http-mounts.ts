import { appComponent, type ComponentPath } from "../../names/table-name.ts";
import type { ComponentMount } from "./component-mounts.ts";

/** A route as a router lists it. The path of a route by prefix ends with "/*". */
export type HttpRoute = { readonly method: string; readonly path: string };

/** The component whose router answers, and the path for that router. */
type MountedPath = { readonly component: ComponentPath; readonly path: string };

type RoutedMount = Pick<ComponentMount, "httpMounts" | "httpPrefix"> & {
  readonly modules: { readonly http: { readonly routes: readonly HttpRoute[] } | null };
};

type Mounts = { readonly get: (path: ComponentPath) => RoutedMount | null };

/** The part of a request that chooses its route. */
export type RoutedRequest = { readonly pathname: string; readonly method: string };

/**
 * Finds the component whose router answers, as Convex does. An exact route of the parent comes first, then the longest prefix
 * among the parent's routes and its children. Of equal prefixes, the child's wins. If nothing matches, the parent's router
 * answers. A child's router sees the path without the prefix. Null for a path outside of the app's prefix.
 */
export function mountedPath(
  mounts: Mounts,
  { pathname, method }: RoutedRequest,
  component: ComponentPath = appComponent,
): MountedPath | null {
  const { httpMounts = [], httpPrefix = null, modules } = mounts.get(component) ?? {};
  // A prefix ends with the slash that the rest begins with.
  const stripped = httpPrefix === null ? 0 : httpPrefix.length - 1;
  const own = pathname.startsWith(httpPrefix ?? "") ? { component, path: pathname.slice(stripped) } : null;
  const ownLength = own === null ? 0 : matchLength(modules?.http?.routes ?? [], own.path, method) + stripped;
  const fitting = httpMounts.filter(({ prefix }) => pathname.startsWith(prefix));
  const [longest] = fitting.sort((a, b) => b.prefix.length - a.prefix.length);
  if (longest === undefined || ownLength > longest.prefix.length) return own;
  const below = { pathname: pathname.slice(longest.prefix.length - 1), method };
  return mountedPath(mounts, below, longest.child);
}

/** Length of the longest prefix that matches a path; infinite for an exact route, and 0 for none. */
function matchLength(routes: readonly HttpRoute[], path: string, method: string): number {
  // A router answers HEAD by the routes of GET.
  const routed = method === "HEAD" ? "GET" : method;
  const lengths = routes
    .filter((route) => route.method === routed)
    .map((route) => {
      if (!route.path.endsWith("*")) return route.path === path ? Infinity : 0;
      const prefix = route.path.slice(0, -1);
      return path.startsWith(prefix) ? prefix.length : 0;
    });
  return Math.max(0, ...lengths);
}
