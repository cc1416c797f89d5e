/** Groups and back references that V8's linear engine does not know. */
const beyondLinear = /\(\?(?:<?[=!])|\\(?:[1-9]|k<)/;
const unbounded = /^(?:[*+]|\{(\d+)(,?)(\d*)\})/;

/**
 * Whether matching a regular expression may take a time that doubles with each character: it repeats a group that can itself
 * match in several ways, and V8's linear engine cannot take over. It may also say so of some that are fast.
 */
export function mayBacktrackForever(source: string): boolean {
  if (!beyondLinear.test(source)) return false;
  // For each open group, whether it can match in several ways.
  const groups = [false];
  for (let at = 0; at < source.length; at += 1) {
    switch (source[at]) {
      case "\\":
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
        if (varies && isRepeated) return true;
        if (varies || isRepeated) groups[groups.length - 1] = true;
        break;
      }
      case "|":
        groups[groups.length - 1] = true;
        break;
      default:
        if (repeats(source.slice(at, at + 16))) groups[groups.length - 1] = true;
    }
  }
  return false;
}

/** Whether a text begins with a quantifier of more than two rounds. */
function repeats(text: string): boolean {
  const found = unbounded.exec(text);
  if (found === null) return false;
  const [, least, comma, most] = found;
  return least === undefined || (comma === "," ? most === "" || Number(most) > 2 : Number(least) > 2);
}

function endOfClass(source: string, from: number): number {
  let at = from + 1;
  while (at < source.length && source[at] !== "]") at += source[at] === "\\" ? 2 : 1;
  return at;
}
