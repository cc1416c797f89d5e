type RangeChoice =
  | { readonly kind: "whole" }
  | { readonly kind: "part"; readonly start: number; readonly end: number }
  | { readonly kind: "unsatisfiable" };

const bytes = /^bytes=(.+)$/;
const oneRange = /^\s*(\d{0,15})-(\d{0,15})\s*$/;

/**
 * Chooses the part of a file that a `Range` header requests (RFC 9110, 14); both ends are included. An invalid
 * header is ignored, as the RFC requires. As in Convex, an empty file is sent whole, and so is one with several
 * requested parts.
 */
export function chooseRange(header: string | undefined, size: number): RangeChoice {
  const ranges = header === undefined ? undefined : bytes.exec(header.trim())?.[1];
  if (ranges === undefined || size === 0) return { kind: "whole" };
  const choices = ranges.split(",").map((range) => chooseOne(range, size));
  if (choices.length === 1) return choices[0] ?? { kind: "whole" };
  return { kind: choices.every(({ kind }) => kind === "unsatisfiable") ? "unsatisfiable" : "whole" };
}

function chooseOne(range: string, size: number): RangeChoice {
  const [, first = "", last = ""] = oneRange.exec(range) ?? [];
  if (first === "" && last === "") return { kind: "whole" };
  if (first === "") {
    const length = Number(last);
    return length === 0
      ? { kind: "unsatisfiable" }
      : { kind: "part", start: Math.max(0, size - length), end: size - 1 };
  }
  const start = Number(first);
  const end = last === "" ? size - 1 : Math.min(Number(last), size - 1);
  if (last !== "" && Number(last) < start) return { kind: "whole" };
  return start >= size ? { kind: "unsatisfiable" } : { kind: "part", start, end };
}
