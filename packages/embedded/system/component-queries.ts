import type { ComponentPath } from "../names/table-name.ts";
import type { SystemQueries } from "./system-functions.ts";

export type ComponentQueryDeps = {
  /** The app, "", and the components that are installed in it. */
  readonly componentPaths: readonly ComponentPath[];
};

/** Which components are installed, for `npx convex run --component` and its kin. */
export function componentQueries({ componentPaths }: ComponentQueryDeps): SystemQueries {
  return {
    "_system/frontend/components:list": () =>
      componentPaths.map((path) => ({
        // The path never changes for one installation, and nothing else names it.
        id: path,
        name: path === "" ? null : path.slice(path.lastIndexOf("/") + 1),
        path,
        args: {},
        state: "active",
      })),
  };
}
