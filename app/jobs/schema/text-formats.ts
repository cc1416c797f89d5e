/**
 * Values of `format` that a finished answer is checked against. Other formats are only annotations. Letters match in both
 * cases. All take linear time.
 */

const label = "[a-z\\d](?:[a-z\\d-]{0,61}[a-z\\d])?";
const labels = `${label}(?:\\.${label})*`;
const shortEnough = "(?=.{1,253}$)";
const beforeAt = "[\\w.!#$%&'*+/=?^`{|}~-]";
/** Each character that a grammar counts is a rule of it. So it counts none here: nobody writes a name that is too long. */
const anyLabel = "[a-z\\d](?:-*[a-z\\d])*";
const anyLabels = `${anyLabel}(?:\\.${anyLabel})*`;
const byte = "(?:25[0-5]|2[0-4]\\d|1\\d\\d|[1-9]?\\d)";
const ipv4 = `${byte}(?:\\.${byte}){3}`;
const days = "\\d+D|\\d+M(?:\\d+D)?|\\d+Y(?:\\d+M(?:\\d+D)?)?";
const times = "\\d+S|\\d+M(?:\\d+S)?|\\d+H(?:\\d+M(?:\\d+S)?)?";

/** A regular expression for a whole text. `written`: the one that a grammar enforces, if it enforces less. */
type TextFormat = { readonly checked: string; readonly written?: string };

const formats: ReadonlyMap<string, TextFormat> = new Map<string, TextFormat>([
  ["email", { checked: `${beforeAt}{1,64}@${shortEnough}${labels}`, written: `${beforeAt}+@${anyLabels}` }],
  ["hostname", { checked: shortEnough + labels, written: anyLabels }],
  ["ipv4", { checked: ipv4 }],
  ["ipv6", { checked: ipv6() }],
  ["uuid", { checked: "[\\da-f]{8}(?:-[\\da-f]{4}){3}-[\\da-f]{12}" }],
  ["uri", { checked: '[a-z][a-z\\d+.-]*:[^\\s<>"{}|\\\\^`]+' }],
  ["duration", { checked: `P(?:\\d+W|(?:${days})(?:T(?:${times}))?|T(?:${times}))` }],
]);

const expressions = new Map(
  [...formats].map(([name, { checked }]) => [name, new RegExp(whole(checked), "i")]),
);

const date = "\\d{4}-(?:0[1-9]|1[012])-(?:0[1-9]|[12]\\d|3[01])";
const hours = "(?:[01]\\d|2[0-3]):[0-5]\\d";
const time = `${hours}:[0-5]\\d(?:\\.\\d{3})?(?:Z|[+-]${hours})`;

/** Formats that a grammar enforces by itself, as it writes them. */
const ofGrammar: ReadonlyMap<string, string> = new Map([
  ["date", whole(date)],
  ["time", whole(time)],
  ["date-time", whole(`${date}T${time}`)],
]);

export function isCheckedFormat(format: string): boolean {
  return formats.has(format);
}

/** True for a format without a check. */
export function hasFormat(format: string, text: string): boolean {
  return expressions.get(format)?.test(text) ?? true;
}

/** The regular expression of what a grammar writes in a format. Undefined for one that is only an annotation. */
export function writtenFormat(
  format: string,
): { readonly source: string; readonly ignoresCase: boolean } | undefined {
  const own = ofGrammar.get(format);
  if (own !== undefined) return { source: own, ignoresCase: false };
  const found = formats.get(format);
  return found && { source: whole(found.written ?? found.checked), ignoresCase: true };
}

function whole(pattern: string): string {
  return `^(?:${pattern})$`;
}

/** Eight groups of hexadecimal digits. `::` replaces one or more groups of zeros. The last two groups may be an IPv4 address. */
function ipv6(): string {
  const group = "[\\da-f]{1,4}";
  const before = (groups: number): string =>
    groups === 0 ? "" : `${group}(?::${group}){${String(groups - 1)}}`;
  const after = (most: number): string => {
    if (most === 0) return "";
    const plain = `(?:${group}:){0,${String(most - 1)}}${group}`;
    return most === 1 ? `(?:${plain})?` : `(?:${plain}|(?:${group}:){0,${String(most - 2)}}${ipv4})?`;
  };
  const shortened = Array.from({ length: 8 }, (_, groups) => `${before(groups)}::${after(7 - groups)}`);
  return [`(?:${group}:){7}${group}`, `(?:${group}:){6}${ipv4}`, ...shortened].join("|");
}
