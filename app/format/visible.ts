/**
 * Characters that a reader does not see, but that change what they read: control characters, which move a terminal's
 * cursor or color its text; halves of surrogate pairs; line separators; signs of annotated text; and Unicode's
 * Default_Ignorable_Code_Point: marks that reverse the direction of text, zero-width spaces, tags, empty letters. Joiners and
 * variation selectors stay allowed, since scripts, names and emoji need them.
 */
const hidden =
  /(?!\p{Join_Control}|\p{Variation_Selector})[\p{Cc}\p{Cs}\p{Default_Ignorable_Code_Point}\u2028\u2029\ufff9-\ufffb]/gu;

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
  const units = Array.from({ length: mark.length }, (_, at) => mark.charCodeAt(at));
  return units.map((unit) => `\\u${unit.toString(16).padStart(4, "0")}`).join("");
}
