import type { ReactNode } from "react";
import { type PageId, pages } from "../console/shell/pages.ts";
import { type Connection, Shell } from "../console/shell/Shell.tsx";
import type { Story } from "./story.ts";

/** A page of the console, inside of its navigation. */
export function inShell(id: string, at: PageId, content: ReactNode, connection: Connection = "live"): Story {
  return page(
    id,
    <Shell
      page={at}
      pages={pages}
      organization="Northwind Research"
      member="Ada Brandt"
      connection={connection}
      pending={2}
      onPreload={() => undefined}
      onSearch={() => undefined}
      onSignOut={() => undefined}
    >
      {content}
    </Shell>,
  );
}

/** A page of the console that fills the window. */
export function page(id: string, content: ReactNode): Story {
  return { id, group: "Console", size: [1280, 800], content };
}
