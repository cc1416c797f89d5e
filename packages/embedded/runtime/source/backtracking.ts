/** Groups, back references and inline flags that V8's linear engine does not know. */
const beyondLinear = /\(\?(?:<?[=!]|[a-z-]+:)|\\(?:[1-9]|k<)/;
/** The flags that it knows. */
const linearFlags = /^[gmsy]*$/;
/** It makes at most so many copies of a part that is to match a certain number of times. */
const mostCopies = 16;

const quantifier = /^(?:[*+?]|\{(\d+)(,?)(\d*)\})\??/;
const backReference = /^\\(?:[1-9]|k<)/;

/** So many parts may be optional. Each may double the time, less so if V8's linear engine takes over. */
const mostOptions = { linear: 32, other: 20 };
/** As many as there are if so many parts are optional, and one more. */
const mostWays = 2 ** (mostOptions.other + 1);
/** In fewer characters even an expression ends soon whose time doubles with each one. */
const safeForAll = 16;
/** About a tenth of a second. */
const safeSteps = 2e8;
/** V8's linear engine takes over in time if a text is no longer, however many parts an expression repeats. */
const safeForLinear = 5_000;
/** A shorter text is safe for nearly every expression, so only the others need to be watched there. */
export const safeLength = 500;

/** The longest texts in which matching surely ends within about a tenth of a second. They may be endless. */
export type SafeLengths = {
  /** For one match. */
  readonly one: number;
  /** For all matches of the text. */
  readonly all: number;
};

const known = new Map<string, SafeLengths>();
const mostKnown = 1_000;

/** Looking at a longer expression takes more than a tenth of a second. Its matches are always watched. */
const longestSource = 100_000;

/**
 * The longest texts that are safe for a regular expression. The time grows with a power of the length: each part that is repeated
 * may try each length, and the whole expression each place of the text. If a repeated group can itself match in several ways,
 * the time doubles with each character. V8's linear engine bounds both, but not for all expressions.
 */
export function safeLengthsOf(source: string, flags: string): SafeLengths {
  if (source.length > longestSource) return { one: 0, all: 0 };
  const key = `${flags}/${source}`;
  const found = known.get(key);
  if (found !== undefined) return found;
  const lengths = measure(source, flags);
  if (known.size >= mostKnown) known.clear();
  known.set(key, lengths);
  return lengths;
}

function measure(source: string, flags: string): SafeLengths {
  const { repeated, options, copies, doubles, alternates } = partsOf(source);
  const isLinear = linearFlags.test(flags) && copies <= mostCopies && !beyondLinear.test(source);
  if (options > mostOptions[isLinear ? "linear" : "other"] || (doubles && !isLinear)) {
    const length = isLinear ? safeForAll : Math.min(safeForAll, lengthFor(options));
    return { one: length, all: length };
  }
  const isAtStart = source.startsWith("^") && !flags.includes("m") && !alternates;
  const lengthOf = (power: number): number => {
    if (power < 2 && !doubles) return Infinity;
    const length = Math.floor(safeSteps ** (1 / Math.max(2, power)));
    return isLinear && (power > 2 || doubles) ? safeForLinear : length;
  };
  return {
    one: lengthOf(isAtStart || flags.includes("y") ? repeated : repeated + 1),
    all: lengthOf(isAtStart ? repeated : repeated + 1),
  };
}

/** The longest text that has few enough ways to match some of so many optional parts. Each may match one character. */
function lengthFor(options: number): number {
  let ways = 1;
  let all = ways;
  for (let length = 1; length <= options; length += 1) {
    ways *= (options - length + 1) / length;
    all += ways;
    if (all > mostWays) return length - 1;
  }
  return Infinity;
}

type Parts = {
  /** How many parts of one alternative match any number of times. Comparing with a group takes as long as one. */
  readonly repeated: number;
  /** How many parts may match or not. */
  readonly options: number;
  /** How often a part is copied if each certain number of times becomes that many copies. */
  readonly copies: number;
  /** Whether a repeated group can itself match in several ways. */
  readonly doubles: boolean;
  /** Whether it consists of alternatives. */
  readonly alternates: boolean;
};

/** `repeated` is of the alternative that is read, `most` of the others. */
type Group = { varies: boolean; copies: number; options: number; repeated: number; most: number };

const newGroup = (): Group => ({ varies: false, copies: 1, options: 0, repeated: 0, most: 0 });
const mostRepeated = ({ repeated, most }: Group): number => Math.max(repeated, most);

function partsOf(source: string): Parts {
  let doubles = false;
  let alternates = false;
  const groups: Group[] = [newGroup()];
  const top = (): Group => groups.at(-1) as Group;
  const count = (times: Times, part: Group): void => {
    top().repeated += mostRepeated(part) * times.copies + (times.isEndless ? 1 : 0);
    if (!times.isEndless && (times.varies || part.varies)) top().options += 1;
    top().options += part.options * times.copies;
    if (times.varies || times.isMany || part.varies) top().varies = true;
    top().copies = Math.max(top().copies, part.copies * times.copies);
  };
  for (let at = 0; at < source.length; at += 1) {
    switch (source[at]) {
      case "\\":
        if (backReference.test(source.slice(at, at + 3))) top().repeated += 1;
        at += 1;
        break;
      case "[":
        at = endOfClass(source, at);
        break;
      case "(":
        groups.push(newGroup());
        // The question mark of `(?:` is no quantifier.
        if (source[at + 1] === "?") at += 1;
        break;
      case ")": {
        // A wrong expression is refused elsewhere.
        const group = groups.length > 1 ? (groups.pop() as Group) : top();
        const times = timesOf(source, at + 1);
        if (group.varies && times.isMany) doubles = true;
        count(times, group);
        at += times.length;
        break;
      }
      case "|":
        Object.assign(top(), { varies: true, most: mostRepeated(top()), repeated: 0 });
        if (groups.length === 1) alternates = true;
        break;
      default: {
        const times = timesOf(source, at);
        count(times, newGroup());
        at += Math.max(0, times.length - 1);
      }
    }
  }
  return { repeated: mostRepeated(top()), options: top().options, copies: top().copies, doubles, alternates };
}

type Times = {
  /** The characters of the quantifier. */
  readonly length: number;
  /** Whether it may be of different lengths. */
  readonly varies: boolean;
  /** Whether there may be more than two rounds. */
  readonly isMany: boolean;
  /** Whether it may be of very different lengths. */
  readonly isEndless: boolean;
  readonly copies: number;
};

const once: Times = { length: 0, varies: false, isMany: false, isEndless: false, copies: 1 };

/** How often a part matches, by the quantifier after it. */
function timesOf(source: string, at: number): Times {
  const found = quantifier.exec(source.slice(at, at + 16));
  if (found === null) return once;
  const [{ length }, least, comma, most] = found as readonly string[] & { readonly 0: string };
  if (least === undefined)
    return found[0].startsWith("?")
      ? { ...once, length, varies: true }
      : { length, varies: true, isMany: true, isEndless: true, copies: 1 };
  const min = Number(least);
  const max = comma === "" ? min : most === "" ? Infinity : Number(most);
  return {
    length,
    varies: max > min,
    isMany: max > 2,
    isEndless: max > min && max > 2,
    copies: Math.max(1, max === Infinity ? min : max),
  };
}

/** The position of the bracket that ends a class of characters. */
function endOfClass(source: string, start: number): number {
  let at = start + 1;
  while (at < source.length && source[at] !== "]") at += source[at] === "\\" ? 2 : 1;
  return at;
}
