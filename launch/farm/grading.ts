/** Trims the text, and replaces each run of white space by one space. */
function normalize(text: string): string {
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

/** Whether an answer equals the corpus' correct one. Ignores white space, and the order of keys in JSON objects. */
export function isRight(expected: string, answer: string): boolean {
  return expected.startsWith("{") ? sameObject(expected, answer) : normalize(answer) === normalize(expected);
}
