import { expect, it } from "vitest";
import { type Key, readKey } from "./shortcuts.ts";

const key = (name: string, held: Partial<Key> = {}): Key => ({
  key: name,
  ctrlKey: false,
  metaKey: false,
  altKey: false,
  ...held,
});

it("opens the palette with Ctrl+K, ⌘K and /", () => {
  for (const each of [key("k", { ctrlKey: true }), key("K", { metaKey: true }), key("/")]) {
    expect(readKey(each, false, true)).toEqual({ kind: "palette" });
  }
  expect(readKey(key("k"), false, true)).toBeNull();
});

it("opens a page with g and its key, and the sheet with ?", () => {
  expect(readKey(key("d"), false, true)).toBeNull();
  expect(readKey(key("g"), false, true)).toBe("leads");
  expect(readKey(key("d"), true, true)).toEqual({ kind: "page", page: "devices" });
  expect(readKey(key("x"), true, true)).toBeNull();
  expect(readKey(key("?"), false, true)).toEqual({ kind: "sheet" });
});

it("leaves single keys alone when they are off, and keys of the browser always", () => {
  for (const name of ["g", "/", "?"]) expect(readKey(key(name), false, false)).toBeNull();
  expect(readKey(key("k", { ctrlKey: true }), false, false)).toEqual({ kind: "palette" });
  expect(readKey(key("d", { ctrlKey: true }), true, true)).toBeNull();
});
