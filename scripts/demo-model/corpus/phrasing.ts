import type { Random } from "./random.ts";

/** Makes the first letter uppercase. */
export function capitalize(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** Makes the first letter lowercase. */
export function uncapitalize(text: string): string {
  return text.charAt(0).toLowerCase() + text.slice(1);
}

/** Puts "a" or "an" in front, by the first letter. */
export function withArticle(noun: string): string {
  return (/^[aeiou]/i.test(noun) ? "an " : "a ") + noun;
}

/** One Markdown bullet per line. */
export function bulletList(entries: readonly string[]): string {
  return entries.map((entry) => `- ${entry}`).join("\n");
}

/** Puts an instruction before its text, in the various ways that people type it. */
export function instruct(random: Random, instruction: string, text: () => string): string {
  const separator = random.pick([": ", ":\n", ": ", ":\n\n"]);
  return instruction + separator + text();
}

/** Puts a quarter of the texts in quotation marks. */
export function maybeQuoted(random: Random, text: string): string {
  return random.chance(0.25) ? `"${text}"` : text;
}
