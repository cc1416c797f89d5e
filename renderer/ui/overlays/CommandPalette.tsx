import { Search } from "lucide-react";
import { type KeyboardEvent, type ReactNode, useId, useLayoutEffect, useRef, useState } from "react";
import { cx } from "../cx.ts";
import { onClosing } from "./on-closing.ts";

export type PaletteEntry = {
  readonly id: string;
  readonly title: string;
  /** Shown at the right, e.g. a shortcut. */
  readonly hint?: string;
};

export type PaletteGroup<Entry extends PaletteEntry> = {
  readonly title: string;
  readonly entries: readonly Entry[];
};

type Props<Entry extends PaletteEntry> = {
  readonly query: string;
  readonly groups: readonly PaletteGroup<Entry>[];
  readonly onQuery: (query: string) => void;
  readonly onRun: (entry: Entry) => void;
  readonly onClose: () => void;
};

/**
 * A field with the entries that match below it. The focus stays in the field: arrows, Home and End choose an entry, Enter
 * runs it. Screen readers follow the choice as the active descendant of a combobox.
 */
export function CommandPalette<Entry extends PaletteEntry>(props: Props<Entry>): ReactNode {
  const { query, groups, onQuery, onRun, onClose } = props;
  const id = useId();
  const dialog = useRef<HTMLDialogElement>(null);
  const entries = groups.flatMap((group) => group.entries);
  const [chosenId, setChosenId] = useState<string | null>(null);
  // Without a choice, or once its entry is gone, the first one is chosen.
  const found = entries.findIndex((entry) => entry.id === chosenId);
  const at = Math.max(found, 0);
  const chosen = entries[at];
  useLayoutEffect(() => {
    const element = dialog.current;
    element?.showModal();
    return () => element?.close();
  }, []);
  const optionOf = (entry: Entry): string => `${id}-${entry.id}`;
  const choose = (index: number): void => {
    const entry = entries[(index + entries.length) % entries.length];
    if (entry === undefined) return;
    setChosenId(entry.id);
    document.getElementById(optionOf(entry))?.scrollIntoView({ block: "nearest" });
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    const next = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: entries.length - 1 }[event.key];
    if (event.key === "Enter" && !event.nativeEvent.isComposing && chosen !== undefined) onRun(chosen);
    else if (next !== undefined) choose(next);
    else return;
    event.preventDefault();
  };
  return (
    <dialog
      ref={dialog}
      aria-label="Commands"
      {...onClosing(onClose)}
      onClick={(event) => {
        if (event.target === dialog.current) onClose();
      }}
      className="mx-auto mt-[12vh] w-[min(38rem,calc(100vw-1.5rem))] overflow-hidden rounded-lg border border-line bg-raised text-ink shadow-pop backdrop:bg-[rgb(0_0_0/0.45)]"
    >
      <div className="flex items-center gap-2.5 border-b border-line px-4">
        <Search aria-hidden size={16} className="shrink-0 text-muted" />
        <input
          autoFocus
          role="combobox"
          aria-label="Search pages, devices, jobs and actions"
          aria-expanded="true"
          aria-controls={`${id}-list`}
          aria-autocomplete="list"
          aria-activedescendant={chosen === undefined ? undefined : optionOf(chosen)}
          placeholder="Search pages, devices, jobs and actions"
          autoComplete="off"
          spellCheck={false}
          value={query}
          onChange={(event) => {
            setChosenId(null);
            onQuery(event.target.value);
          }}
          onKeyDown={onKeyDown}
          className="h-12 min-w-0 flex-1 bg-transparent text-base outline-none placeholder:text-faint"
        />
      </div>
      <div
        id={`${id}-list`}
        role="listbox"
        aria-label="Commands"
        className="h-80 max-h-[60vh] overflow-y-auto p-2"
      >
        {groups.map((group) =>
          group.entries.length === 0 ? null : (
            <div key={group.title} role="group" aria-label={group.title} className="pb-1.5">
              <p aria-hidden className="px-2.5 py-1 text-xs font-medium text-faint">
                {group.title}
              </p>
              {group.entries.map((entry) => (
                <div
                  key={entry.id}
                  id={optionOf(entry)}
                  role="option"
                  aria-selected={entry === chosen}
                  onPointerMove={() => setChosenId(entry.id)}
                  onClick={() => onRun(entry)}
                  className={cx(
                    "flex h-9 cursor-pointer items-center justify-between gap-3 rounded-md px-2.5",
                    entry === chosen && "bg-accent-tint text-accent",
                  )}
                >
                  <span className="truncate">{entry.title}</span>
                  {entry.hint === undefined ? null : (
                    <span className="shrink-0 text-xs text-muted">{entry.hint}</span>
                  )}
                </div>
              ))}
            </div>
          ),
        )}
      </div>
      <p role="status" className={entries.length === 0 ? "px-4 pb-4 text-muted" : "sr-only"}>
        {entries.length === 0 ? "Nothing matches." : `${String(entries.length)} found`}
      </p>
    </dialog>
  );
}
