import type { ReactNode } from "react";
import { Switch } from "../../ui/controls/Switch.tsx";
import { Dialog } from "../../ui/overlays/Dialog.tsx";
import type { VisiblePage } from "../shell/pages.ts";
import { places } from "../shell/places.ts";

type Props = {
  readonly pages: readonly VisiblePage[];
  readonly areSingleKeysOn: boolean;
  readonly onSingleKeys: (areOn: boolean) => void;
  readonly onClose: () => void;
};

/** All shortcuts. Single keys can be turned off: people who dictate would type them by accident. */
export function ShortcutSheet({ pages, areSingleKeysOn, onSingleKeys, onClose }: Props): ReactNode {
  return (
    <Dialog title="Keyboard shortcuts" onClose={onClose}>
      <dl className="grid gap-x-8 gap-y-1 sm:grid-cols-2">
        <Row words="Search and commands" keys={["Ctrl", "K"]} />
        <Row words="Search and commands" keys={["/"]} />
        <Row words="This list" keys={["?"]} />
        <Row words="Close" keys={["Esc"]} />
        {pages.map(({ id, label }) => (
          <Row key={id} words={label} keys={["g", places[id].key]} />
        ))}
      </dl>
      <div className="mt-4 flex items-center justify-between gap-3 border-t border-line pt-4">
        <span>Shortcuts without Ctrl or ⌘</span>
        <Switch label="Shortcuts without Ctrl or ⌘" checked={areSingleKeysOn} onChange={onSingleKeys} />
      </div>
    </Dialog>
  );
}

function Row({ words, keys }: { readonly words: string; readonly keys: readonly string[] }): ReactNode {
  return (
    <div className="flex h-8 items-center justify-between gap-3">
      <dt>{words}</dt>
      <dd className="flex gap-1">
        {keys.map((key) => (
          <kbd
            key={key}
            className="min-w-6 rounded-sm border border-line bg-sunken px-1.5 py-0.5 text-center font-sans text-xs text-muted"
          >
            {key}
          </kbd>
        ))}
      </dd>
    </div>
  );
}
