/**
 * Characters that a reader does not see, but that change what they read: control characters, which move a terminal's
 * cursor or color its text; marks that reverse the direction of text; zero-width spaces; halves of surrogate pairs.
 * Joiners stay allowed, since scripts and emoji need them.
 */
const hidden = /[\p{Cc}\p{Cs}\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff]/gu;

/** Whether a reader sees every character of the text. */
export function isVisible(text: string): boolean {
  return text.search(hidden) === -1;
}

/** The text with "�" for each hidden character, and a space for line breaks and tabs. For text from others. */
export function visibleText(text: string): string {
  return text.replace(/[\t\n\r\u2028\u2029]+/g, " ").replace(hidden, "\ufffd");
}

/** Text from others, as a sentence may quote it: visible, and cut after `most` UTF-16 units. */
export function quotable(text: string, most = 200): string {
  return text.length <= most ? visibleText(text) : `${visibleText(text.slice(0, most))}…`;
}

/** Escapes hidden characters of JSON text, except line breaks between its tokens. It stays the same JSON. */
export function visibleJson(json: string): string {
  return json.replace(hidden, (mark) => (mark === "\n" ? mark : escaped(mark)));
}

function escaped(mark: string): string {
  return `\\u${mark.charCodeAt(0).toString(16).padStart(4, "0")}`;
}
