/*
 * The tokens that a model wrote for an answer, as one text. An answer does not show how it was split into tokens, so a device tells them
 * to those that check it: app/trust/replay.ts. A list in Convex has at most 8,192 elements, so they are a text: about three characters
 * for each token, and a blank between the passages, which are the parts that the model wrote in one go.
 */

const digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
/** Of each digit. The sixth bit says that another digit of the same token follows. */
const bits = 5;
const base = 2 ** bits;
/** Four digits hold ids below a million. */
const form = /^(?:[g-z\d_-]{0,3}[A-Za-f]| )*$/;
/** The last digit of a token. */
const lastDigit = /[A-Za-f]/g;

/** The most bytes of one token's digits. */
export const bytesOfWritten = 4;

export function packWritten(passages: readonly (readonly number[])[]): string {
  return passages.map((ids) => ids.map(digitsOf).join("")).join(" ");
}

function digitsOf(id: number): string {
  let text = "";
  let rest = id;
  for (; rest >= base; rest = Math.floor(rest / base)) text += digits.charAt(base + (rest % base));
  return text + digits.charAt(rest);
}

/** The passages; null if the text has another form. */
export function unpackWritten(packed: string): readonly (readonly number[])[] | null {
  if (!form.test(packed)) return null;
  return packed.split(" ").map((passage) => {
    const ids: number[] = [];
    let [id, unit] = [0, 1];
    for (const digit of passage) {
      const value = digits.indexOf(digit);
      id += unit * (value % base);
      unit *= base;
      if (value >= base) continue;
      ids.push(id);
      [id, unit] = [0, 1];
    }
    return ids;
  });
}

/** How many tokens there are; null if the text has another form. */
export function countWritten(packed: string): number | null {
  return form.test(packed) ? (packed.match(lastDigit)?.length ?? 0) : null;
}

/** How many passages there are in a text of this form. */
export function countPassages(packed: string): number {
  return 1 + (packed.match(/ /g)?.length ?? 0);
}
