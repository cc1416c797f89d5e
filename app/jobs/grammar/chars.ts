/** A set of code points: the bounds of its ranges in order, each from its first code point to before its second. */
export type Chars = readonly number[];

export const noChars: Chars = [];
export const anyChar: Chars = [0, 0x11_0000];

/** A set of more ranges is widened to one range. So the cost of a set does not grow with the length of the grammar. */
const mostRanges = 64;

/** The set of a text's code points. */
export function charsIn(text: string): Chars {
  return normal([...new Set(text)].flatMap((char) => charAt(char.codePointAt(0) ?? 0)));
}

/** The set of one code point. */
export function charAt(code: number): Chars {
  return [code, code + 1];
}

export function union(...sets: readonly Chars[]): Chars {
  let largest = noChars;
  for (const set of sets) if (set.length > largest.length) largest = set;
  const others = sets.filter((set) => !includes(largest, set));
  return others.length === 0 ? largest : normal([largest, ...others].flat());
}

/** Whether a set has all characters of another one. */
function includes(set: Chars, other: Chars): boolean {
  if (set === other) return true;
  for (let i = 0, j = 0; j < other.length;) {
    if (i >= set.length || (other[j] ?? 0) < (set[i] ?? 0)) return false;
    if ((other[j + 1] ?? 0) <= (set[i + 1] ?? 0)) j += 2;
    else i += 2;
  }
  return true;
}

/** The code points outside of all ranges, which need no order. They must not be widened before: that would lose some. */
export function complement(outside: Chars): Chars {
  return widened(inverse(outside));
}

/** The same, but never widened. */
export function inverse(outside: Chars): Chars {
  const bounds = [0, ...joined(outside), 0x11_0000];
  const ranges: number[] = [];
  for (let at = 0; at < bounds.length; at += 2) {
    const [from = 0, to = 0] = bounds.slice(at, at + 2);
    if (from < to) ranges.push(from, to);
  }
  return ranges;
}

export function overlap(one: Chars, other: Chars): boolean {
  for (let i = 0, j = 0; i < one.length && j < other.length;) {
    if ((one[i] ?? 0) < (other[j + 1] ?? 0) && (other[j] ?? 0) < (one[i + 1] ?? 0)) return true;
    if ((one[i + 1] ?? 0) <= (other[j + 1] ?? 0)) i += 2;
    else j += 2;
  }
  return false;
}

/** Sorts ranges, and joins those that meet. */
export function normal(ranges: Chars): Chars {
  return widened(joined(ranges));
}

function widened(ranges: Chars): Chars {
  return ranges.length > 2 * mostRanges ? [ranges[0] ?? 0, ranges.at(-1) ?? 0] : ranges;
}

/** The same, but never widened. */
export function joined(ranges: Chars): Chars {
  const pairs: [number, number][] = [];
  for (let at = 0; at < ranges.length; at += 2) pairs.push([ranges[at] ?? 0, ranges[at + 1] ?? 0]);
  pairs.sort((a, b) => a[0] - b[0]);
  const all: number[] = [];
  for (const [from, to] of pairs) {
    const end = all.at(-1);
    if (end !== undefined && from <= end) all[all.length - 1] = Math.max(end, to);
    else all.push(from, to);
  }
  return all;
}
