import { appComponent, type ComponentPath } from "../../names/table-name.ts";
import type { ComponentMount } from "./component-mounts.ts";

/** The component whose router answers, and the path for that router. */
type MountedPath = { readonly component: ComponentPath; readonly path: string };

type Mounts = {
  readonly get: (path: ComponentPath) => Pick<ComponentMount, "httpMounts" | "httpPrefix"> | null;
};

/**
 * Finds the deepest component whose prefix matches a path. Its router sees the path without the prefix. Null
 * for a path outside of the app's prefix.
 */
export function mountedPath(mounts: Mounts, pathname: string): MountedPath | null {
  let place: MountedPath = { component: appComponent, path: pathname };
  for (let child = mountBelow(mounts, place); child !== null; child = mountBelow(mounts, place))
    place = child;
  const prefix = mounts.get(appComponent)?.httpPrefix ?? null;
  if (place.component !== appComponent || prefix === null) return place;
  return pathname.startsWith(prefix)
    ? { component: appComponent, path: pathname.slice(prefix.length - 1) }
    : null;
}

function mountBelow(mounts: Mounts, { component, path }: MountedPath): MountedPath | null {
  const fitting = (mounts.get(component)?.httpMounts ?? []).filter(({ prefix }) => path.startsWith(prefix));
  const [longest] = fitting.sort((a, b) => b.prefix.length - a.prefix.length);
  if (longest === undefined) return null;
  // The prefix ends with the slash that the rest begins with.
  return { component: longest.child, path: path.slice(longest.prefix.length - 1) };
}
