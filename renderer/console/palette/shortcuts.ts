import { useLayoutEffect, useRef } from "react";
import { type PageId, pages } from "../shell/pages.ts";
import { places } from "../shell/places.ts";

export type Shortcut =
  | { readonly kind: "palette" }
  | { readonly kind: "sheet" }
  | { readonly kind: "page"; readonly page: PageId };

export type Key = Pick<KeyboardEvent, "key" | "ctrlKey" | "metaKey" | "altKey">;

/** The time for the second key of "g d". */
const followWithinMs = 1_500;

/**
 * Reads one key.
 * @param leads whether "g" was the key before it
 * @param areSingleKeysOn whether keys without Ctrl or ⌘ count
 */
export function readKey(key: Key, leads: boolean, areSingleKeysOn: boolean): Shortcut | "leads" | null {
  if ((key.ctrlKey || key.metaKey) && !key.altKey) {
    return key.key.toLowerCase() === "k" ? { kind: "palette" } : null;
  }
  if (!areSingleKeysOn || key.altKey) return null;
  const page = leads ? pages.find(({ id }) => places[id].key === key.key) : undefined;
  if (page !== undefined) return { kind: "page", page: page.id };
  if (key.key === "g") return "leads";
  if (key.key === "/") return { kind: "palette" };
  return key.key === "?" ? { kind: "sheet" } : null;
}

/** Whether a key belongs to the element that has the focus: a field, a select, or an open dialog. */
function isTaken(target: EventTarget | null): boolean {
  if (document.querySelector("dialog[open], [role=menu]") !== null) return true;
  return (
    target instanceof HTMLElement &&
    (target.isContentEditable || target.matches("input, textarea, select, [role=combobox]"))
  );
}

/** Calls back for the shortcuts of the whole page. Keys that somebody types into a field stay there. */
export function useShortcuts(areSingleKeysOn: boolean, onShortcut: (shortcut: Shortcut) => void): void {
  const latest = useRef(onShortcut);
  // A key that somebody presses as soon as they see the page counts, so the browser must not paint it before.
  useLayoutEffect(() => {
    latest.current = onShortcut;
  });
  useLayoutEffect(() => {
    let ledAt = -Infinity;
    const onKeyDown = (event: KeyboardEvent): void => {
      const withControl = event.ctrlKey || event.metaKey;
      if (event.defaultPrevented || event.repeat) return;
      if (isTaken(event.target) && !(withControl && document.querySelector("dialog[open]") === null)) return;
      const read = readKey(event, event.timeStamp - ledAt < followWithinMs, areSingleKeysOn);
      ledAt = read === "leads" ? event.timeStamp : -Infinity;
      if (read === null || read === "leads") return;
      event.preventDefault();
      latest.current(read);
    };
    window.addEventListener("keydown", onKeyDown);
    return () => window.removeEventListener("keydown", onKeyDown);
  }, [areSingleKeysOn]);
}
