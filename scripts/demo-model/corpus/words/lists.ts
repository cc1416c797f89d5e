/** Splits on white space: `words("red blue")` is two entries. */
export function words(text: string): readonly string[] {
  return text.trim().split(/\s+/);
}

/** Splits on bars and line ends, so that an entry may contain spaces. Drops empty entries. */
export function phrases(text: string): readonly string[] {
  return text
    .trim()
    .split(/\s*[|\n]\s*/)
    .filter((entry) => entry !== "");
}

/** `phrases` of the form `key:value`. An entry without a colon is a mistake in the list. */
export function pairs(text: string): readonly (readonly [key: string, value: string])[] {
  return phrases(text).map((entry) => {
    const [key, value] = entry.split(":");
    if (key === undefined || value === undefined) throw new Error(`not a pair: ${entry}`);
    return [key, value];
  });
}
