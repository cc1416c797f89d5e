import { type Chars, charsIn } from "../grammar/chars.ts";
import { type Automaton, automatonOf, type Condition, mostStates } from "./automaton.ts";
import { multiplesMachine, PatternMachine } from "./machines.ts";
import { chars, choice, type Pattern, repeated, sequence, textPattern } from "./syntax.ts";
import { Unenforceable, Work } from "./work.ts";

/** A bound of numbers. */
type Bound = { readonly value: number; readonly isExclusive: boolean };

export type NumberRange = {
  readonly least: Bound | null;
  readonly most: Bound | null;
  readonly multipleOf: number | null;
};

/** A number of no sign: "12.5". Its integer part has no zeros before it, and its fraction none after it. */
type Decimal = { readonly integer: string; readonly fraction: string };

/** Numbers of so many digits are all different to a program. */
const exactDigits = 15;
const mostDecimals = 16;
const mostPatternParts = 500;

/** The characters of numbers. */
const numberChars: Chars = charsIn("+-.0123456789Ee");

/**
 * The automaton of the JSON numbers within a range. It writes fewer numbers than the range has: none that a program would
 * round to one outside, and no exponent that could lead out of it. Null if it would write none. Throws Unenforceable.
 */
export function numberAutomaton(range: NumberRange, isInteger: boolean, work = new Work()): Automaton | null {
  const wanted = (pattern: Pattern): Condition => wantedBy(pattern, work);
  // To write the patterns of the shape and of two bounds, digit by digit.
  work.spend(mostPatternParts);
  const least = isInteger && range.least !== null ? firstInteger(range.least) : range.least;
  const most = isInteger && range.most !== null ? lastInteger(range.most) : range.most;
  const step = range.multipleOf === null ? null : decimalOf(range.multipleOf);
  const decimals = Math.min(decimalsBeside(least), decimalsBeside(most));
  const multiples = step === null ? [] : [multiplesOf(step)];
  return automatonOf(
    [
      ...multiples,
      wanted(
        isInteger
          ? shape(0)
          : step === null
            ? withExponent(shape(decimals))
            : shape(Math.min(decimals, step.fraction.length)),
      ),
      ...(least === null ? [] : [wanted(atLeast(least))]),
      ...(most === null ? [] : [wanted(atMost(most))]),
    ],
    numberChars,
    work,
  );
}

function firstInteger({ value, isExclusive }: Bound): Bound {
  return { value: isExclusive ? Math.floor(value) + 1 : Math.ceil(value), isExclusive: false };
}

function lastInteger({ value, isExclusive }: Bound): Bound {
  return { value: isExclusive ? Math.ceil(value) - 1 : Math.floor(value), isExclusive: false };
}

/** Beside an excluded number, further decimals would be rounded away. Near 0 they are not. */
function decimalsBeside(bound: Bound | null): number {
  if (bound === null || !bound.isExclusive || bound.value === 0) return mostDecimals;
  return Math.max(0, exactDigits - decimalOf(bound.value).integer.length);
}

function multiplesOf({ integer, fraction }: Decimal): Condition {
  const step = Number(integer + fraction);
  // Each remainder is a state.
  if (step > mostStates) throw new Unenforceable();
  return { machine: multiplesMachine(step, fraction.length), isWanted: true };
}

function wantedBy(pattern: Pattern, work: Work): Condition {
  const whole = sequence({ kind: "start" }, pattern, { kind: "end" });
  return { machine: new PatternMachine(whole, work), isWanted: true };
}

function decimalOf(value: number): Decimal {
  const [mantissa = "", exponent = "0"] = String(Math.abs(value)).split("e");
  const [before = "", after = ""] = mantissa.split(".");
  if (Math.abs(Number(exponent)) > 30) throw new Unenforceable();
  const place = before.length + Number(exponent);
  const digits = before + after;
  const padded = place < 0 ? "0".repeat(-place) + digits : digits.padEnd(place, "0");
  const integer = padded.slice(0, Math.max(0, place)).replace(/^0+/, "");
  return {
    integer: integer === "" ? "0" : integer,
    fraction: padded.slice(Math.max(0, place)).replace(/0+$/, ""),
  };
}

const digit = between(0, 9);
const nonzero = between(1, 9);
const minus = textPattern("-");
const digits = repeated(digit, 0, Infinity);
const anyFraction = optional(sequence(textPattern("."), digits));
/** Whatever follows. Other conditions say how a number is written. */
const anything = repeated(chars(numberChars), 0, Infinity);
const anyUnsigned = sequence(digit, anything);

function between(first: number, last: number): Pattern {
  const zero = "0".charCodeAt(0);
  return chars(first > last ? [] : [zero + first, zero + last + 1]);
}

function optional(pattern: Pattern): Pattern {
  return repeated(pattern, 0, 1);
}

/** A number without an exponent. */
function shape(decimals: number): Pattern {
  const integer = choice(textPattern("0"), sequence(nonzero, repeated(digit, 0, exactDigits - 1)));
  const fraction = sequence(textPattern("."), repeated(digit, 1, decimals));
  return sequence(optional(minus), integer, ...(decimals === 0 ? [] : [optional(fraction)]));
}

function withExponent(pattern: Pattern): Pattern {
  return sequence(pattern, optional(exponent(optional(chars(charsIn("+-"))))));
}

/** Larger ones make a number infinite. */
function exponent(sign: Pattern): Pattern {
  return sequence(chars(charsIn("Ee")), sign, repeated(digit, 1, 2));
}

/** An exponent does not make a number smaller, or does not make it larger. */
const growing = optional(exponent(optional(textPattern("+"))));
const shrinking = optional(exponent(minus));

function atLeast({ value, isExclusive }: Bound): Pattern {
  const decimal = decimalOf(value);
  return value < 0
    ? choice(anyUnsigned, sequence(minus, unsignedAtMost(decimal, isExclusive)))
    : unsignedAtLeast(decimal, isExclusive);
}

function atMost({ value, isExclusive }: Bound): Pattern {
  const decimal = decimalOf(value);
  if (value < 0 || (value === 0 && isExclusive))
    return sequence(minus, unsignedAtLeast(decimal, isExclusive));
  return choice(sequence(minus, anyUnsigned), unsignedAtMost(decimal, isExclusive));
}

function unsignedAtLeast({ integer, fraction }: Decimal, isExclusive: boolean): Pattern {
  if (integer === "0" && fraction === "")
    return isExclusive
      ? sequence(repeated(chars(charsIn("0.")), 0, Infinity), nonzero, anything)
      : anyUnsigned;
  const above = choice(
    sequence(nonzero, repeated(digit, integer.length, Infinity)),
    ...differing(integer, (from) => between(Number(from) + 1, 9)),
  );
  const more = differing(fraction, (from) => between(Number(from) + 1, 9), digits);
  const same = isExclusive
    ? sequence(textPattern(fraction), digits, nonzero, digits)
    : sequence(textPattern(fraction), digits);
  const after = sequence(textPattern("."), choice(...more, same));
  const isOptional = fraction === "" && !isExclusive;
  return sequence(
    choice(
      sequence(above, anyFraction),
      sequence(textPattern(integer), isOptional ? optional(after) : after),
    ),
    growing,
  );
}

function unsignedAtMost({ integer, fraction }: Decimal, isExclusive: boolean): Pattern {
  const isZero = integer === "0" && fraction === "";
  const below = choice(
    ...(integer.length === 1
      ? []
      : [textPattern("0"), sequence(nonzero, repeated(digit, 0, integer.length - 2))]),
    ...differing(integer, (from, at) => between(at === 0 && integer.length > 1 ? 1 : 0, Number(from) - 1)),
  );
  const zeros = repeated(textPattern("0"), 0, Infinity);
  const less = differing(fraction, (from) => between(0, Number(from) - 1), digits);
  const shorter = Array.from(fraction, (_, length) => textPattern(fraction.slice(0, length))).slice(1);
  const same = isExclusive ? [] : [sequence(textPattern(fraction), zeros)];
  const after = optional(sequence(textPattern("."), choice(...less, ...shorter, ...same)));
  const isSame = fraction !== "" || !isExclusive;
  return sequence(
    choice(sequence(below, anyFraction), ...(isSame ? [sequence(textPattern(integer), after)] : [])),
    isZero ? optional(exponent(optional(chars(charsIn("+-"))))) : shrinking,
  );
}

/** Texts of digits that differ from others at one digit first, and go on with as many others, or with `rest`. */
function differing(
  from: string,
  digitAt: (digit: string, at: number) => Pattern,
  rest?: Pattern,
): readonly Pattern[] {
  return Array.from(from, (each, at) => {
    const after = from.length - at - 1;
    return sequence(textPattern(from.slice(0, at)), digitAt(each, at), rest ?? repeated(digit, after, after));
  });
}
