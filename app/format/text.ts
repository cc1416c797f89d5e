import { locale } from "./locale.ts";

/** Makes the first letter lowercase, for a label within a sentence. German labels are nouns, which keep their capital letter. */
export function uncapitalize(text: string): string {
  return locale.startsWith("de") ? text : text.charAt(0).toLowerCase() + text.slice(1);
}
