/** Longer words, in UTF-8, are not indexed. */
const mostTermBytes = 31;

/** Letters, marks that belong to letters, and numbers: what Rust calls alphanumeric, as in Convex's tokenizer. */
const words = /[\p{Alphabetic}\p{N}]+/gu;
const isAscii = /^\p{ASCII}*$/u;

/** Splits a text into Convex's terms: words of letters and digits in lower case, without the long ones. */
export function* termsOf(text: string): Generator<string> {
  for (const [word] of text.matchAll(words)) {
    if (word.length <= mostTermBytes && Buffer.byteLength(word) <= mostTermBytes) yield lowerCased(word);
  }
}

/** Each character by itself: JavaScript would write a sigma at a word's end in another way. */
function lowerCased(word: string): string {
  return isAscii.test(word) ? word.toLowerCase() : Array.from(word, (each) => each.toLowerCase()).join("");
}
