/** Values of `format` that a finished answer is checked against. All take linear time. Other formats are only annotations. */

const label = "[a-z\\d](?:[a-z\\d-]{0,61}[a-z\\d])?";
const hostname = `(?=.{1,253}$)${label}(?:\\.${label})*`;
const byte = "(?:25[0-5]|2[0-4]\\d|1\\d\\d|[1-9]?\\d)";
const ipv4 = new RegExp(`^${byte}(?:\\.${byte}){3}$`);
const days = "\\d+D|\\d+M(?:\\d+D)?|\\d+Y(?:\\d+M(?:\\d+D)?)?";
const times = "\\d+S|\\d+M(?:\\d+S)?|\\d+H(?:\\d+M(?:\\d+S)?)?";

const checks: ReadonlyMap<string, (text: string) => boolean> = new Map([
  ["email", matching(`^[\\w.!#$%&'*+/=?^\`{|}~-]{1,64}@${hostname}$`)],
  ["hostname", matching(`^${hostname}$`)],
  ["ipv4", (text) => ipv4.test(text)],
  ["ipv6", isIpv6],
  ["uuid", matching("^[\\da-f]{8}(?:-[\\da-f]{4}){3}-[\\da-f]{12}$")],
  ["uri", matching('^[a-z][a-z\\d+.-]*:[^\\s<>"{}|\\\\^`]+$')],
  ["duration", matching(`^P(?:\\d+W|(?:${days})(?:T(?:${times}))?|T(?:${times}))$`)],
]);

export function isCheckedFormat(format: string): boolean {
  return checks.has(format);
}

/** True for a format without a check. */
export function hasFormat(format: string, text: string): boolean {
  return checks.get(format)?.(text) ?? true;
}

function matching(pattern: string): (text: string) => boolean {
  const expression = new RegExp(pattern, "i");
  return (text) => expression.test(text);
}

/** Eight groups of hexadecimal digits. `::` replaces one or more groups of zeros. The last two groups may be an IPv4 address. */
function isIpv6(text: string): boolean {
  const halves = text.split("::");
  if (halves.length > 2) return false;
  const groups = halves.flatMap((half) => (half === "" ? [] : half.split(":")));
  const isOfBytes = ipv4.test(groups.at(-1) ?? "") && !text.endsWith("::");
  const count = groups.length + (isOfBytes ? 1 : 0);
  const plain = isOfBytes ? groups.slice(0, -1) : groups;
  return (
    plain.every((each) => /^[\da-f]{1,4}$/i.test(each)) && (halves.length === 2 ? count <= 7 : count === 8)
  );
}
