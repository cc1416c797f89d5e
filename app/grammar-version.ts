/*
 * A checker compares an answer in a format with the grammar that it makes itself. If its program makes another one of the same schema, it may
 * misread an honest answer. So devices tell the version of their grammars, and those of one version check each other.
 */

/** Raise it when a change gives a schema, a tool or a format another grammar. `main/runner/generate/grammar-version.test.ts` notices most of these. */
const grammarVersion = 1;

const prefix = "grammar:";

/** The tag by which a device tells the version of its grammars. */
export const grammarTag = `${prefix}${String(grammarVersion)}`;

export function isGrammarTag(tag: string): boolean {
  return tag.startsWith(prefix);
}

/** The version in the tags that a device reports; null of a device that tells none. */
export function grammarOf(tags: readonly string[] | undefined): string | null {
  return tags?.find(isGrammarTag) ?? null;
}

/** Whether a program of some version knows the version of the grammars. A device may invent one, or have a newer program. */
export function isKnownGrammar(tag: string, newest = grammarVersion): boolean {
  const version = tag.slice(prefix.length);
  return /^[1-9]\d*$/.test(version) && Number(version) <= newest;
}

/** Whether a known version is older than that of the program. Few devices may have it, or some that agreed on it. */
export function isOldGrammar(tag: string, newest = grammarVersion): boolean {
  return isKnownGrammar(tag, newest - 1);
}
