import type { Random } from "./random.ts";

/** The first letter as a capital. */
export function capitalise(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** The first letter as a small one. */
export function uncapitalise(text: string): string {
  return text.charAt(0).toLowerCase() + text.slice(1);
}

/** With "a" or "an" in front, by its first letter. */
export function withArticle(noun: string): string {
  return (/^[aeiou]/i.test(noun) ? "an " : "a ") + noun;
}

/** One Markdown bullet a line. */
export function bulletList(entries: readonly string[]): string {
  return entries.map((entry) => `- ${entry}`).join("\n");
}

/** An instruction in front of the text that it is about, in the ways in which people type that. */
export function instruct(random: Random, instruction: string, text: () => string): string {
  const separator = random.pick([": ", ":\n", ": ", ":\n\n"]);
  return instruction + separator + text();
}

/** A quarter of the texts stand in quotation marks. */
export function maybeQuoted(random: Random, text: string): string {
  return random.chance(0.25) ? `"${text}"` : text;
}
