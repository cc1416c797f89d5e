/** Groups and back references that V8's linear engine does not know. */
const beyondLinear = /\(\?(?:<?[=!])|\\(?:[1-9]|k<)/;
const quantifier = /^(?:[*+]|\{(\d+)(,?)(\d*)\})/;
const repetition = /[*+]|\{\d+,/;
const backReference = /^\\(?:[1-9]|k<)/;

/** In fewer characters even an expression ends soon whose time doubles with each one. */
const safeForAll = 16;
/** About ten milliseconds. */
const safeSteps = 1e7;
/**
 * In so few characters an expression ends within about thirty milliseconds that tries each place of a text and reads on to its
 * end. Nearly every one with `+` or `*` may do so, also in V8's linear engine.
 */
export const safeLength = 5_000;

/** Whether an expression may read a long text again from each of its places. It may also say so of some that do not. */
export function mayReadAgain(source: string): boolean {
  return repetition.test(source);
}

/**
 * The longest text in which matching surely ends soon, at most `safeLength`. It is shorter if the expression repeats several
 * parts, since the time grows with a power of the length, and if it repeats a group that can itself match in several ways, since
 * the time doubles with each character. V8's linear engine bounds both, unless there is a back reference or a look-around.
 */
export function safeLengthOf(source: string): number {
  if (!beyondLinear.test(source)) return safeLength;
  let repeated = 0;
  // For each open group, whether it can match in several ways.
  const groups = [false];
  for (let at = 0; at < source.length; at += 1) {
    switch (source[at]) {
      case "\\":
        // Comparing takes as long as a repetition.
        if (backReference.test(source.slice(at, at + 3))) repeated += 1;
        at += 1;
        break;
      case "[":
        at = endOfClass(source, at);
        break;
      case "(":
        groups.push(false);
        break;
      case ")": {
        const varies = groups.pop() === true;
        const isRepeated = repeats(source.slice(at + 1, at + 16));
        if (varies && isRepeated) return safeForAll;
        if (varies || isRepeated) groups[groups.length - 1] = true;
        break;
      }
      case "|":
        groups[groups.length - 1] = true;
        break;
      default:
        if (!repeats(source.slice(at, at + 16))) break;
        groups[groups.length - 1] = true;
        repeated += 1;
    }
  }
  return repeated < 2 ? safeLength : Math.floor(safeSteps ** (1 / (repeated + 1)));
}

/** Whether a text begins with a quantifier of more than two rounds. */
function repeats(text: string): boolean {
  const found = quantifier.exec(text);
  if (found === null) return false;
  const [, least, comma, most] = found;
  return least === undefined || (comma === "," ? most === "" || Number(most) > 2 : Number(least) > 2);
}

function endOfClass(source: string, from: number): number {
  let at = from + 1;
  while (at < source.length && source[at] !== "]") at += source[at] === "\\" ? 2 : 1;
  return at;
}
