/** Without outer white space, and with every run of it as one blank. */
function normalise(text: string): string {
  return text.trim().replace(/\s+/g, " ");
}

function parseFlatObject(text: string): ReadonlyMap<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null ? new Map(Object.entries(value)) : undefined;
  } catch {
    return undefined;
  }
}

function sameObject(expected: string, answer: string): boolean {
  const wanted = parseFlatObject(expected);
  const given = parseFlatObject(answer);
  if (wanted === undefined || given === undefined || wanted.size !== given.size) return false;
  return [...wanted].every(([key, value]) => given.get(key) === value);
}

/**
 * Whether an answer says what the corpus' grammar says is right. White space does not matter, nor, between
 * JSON objects, the order of their keys; everything else does.
 */
export function isRight(expected: string, answer: string): boolean {
  return expected.startsWith("{") ? sameObject(expected, answer) : normalise(answer) === normalise(expected);
}
