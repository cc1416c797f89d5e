import { type ReactNode, useState } from "react";
import { PageErrors } from "../shell/PageErrors.tsx";
import type { VisiblePage } from "../shell/pages.ts";
import { hrefOf } from "../shell/route.ts";
import { Palette } from "./Palette.tsx";
import type { recentPlaces } from "./recent-places.ts";
import { useShortcuts } from "./shortcuts.ts";
import { ShortcutSheet } from "./ShortcutSheet.tsx";

export type Overlay = "palette" | "sheet" | null;

type Props = {
  /** The pages that the member may see. Null until the member is known: the palette opens then. */
  readonly pages: readonly VisiblePage[] | null;
  readonly recent: ReturnType<typeof recentPlaces>;
  readonly overlay: Overlay;
  readonly onOverlay: (overlay: Overlay) => void;
  readonly onExpired: () => void;
};

const storageKey = "gleaner-single-keys";

/** The shortcuts of the console, its palette, and the list of shortcuts. */
export function Keyboard({ pages, recent, overlay, onOverlay, onExpired }: Props): ReactNode {
  const [areSingleKeysOn, setSingleKeys] = useState(() => window.localStorage.getItem(storageKey) !== "off");
  useShortcuts(areSingleKeysOn, (shortcut) => {
    if (shortcut.kind !== "page") onOverlay(shortcut.kind);
    else if (pages?.some(({ id }) => id === shortcut.page)) window.location.hash = hrefOf(shortcut.page);
  });
  const close = (): void => onOverlay(null);
  if (overlay === null || pages === null) return null;
  return (
    <PageErrors place={overlay} onExpired={onExpired}>
      {overlay === "palette" ? (
        <Palette
          pages={pages}
          recent={recent.list()}
          onPlace={recent.add}
          onShortcuts={() => onOverlay("sheet")}
          onClose={close}
        />
      ) : (
        <ShortcutSheet
          pages={pages}
          areSingleKeysOn={areSingleKeysOn}
          onSingleKeys={(areOn) => {
            window.localStorage.setItem(storageKey, areOn ? "on" : "off");
            setSingleKeys(areOn);
          }}
          onClose={close}
        />
      )}
    </PageErrors>
  );
}
