/**
 * Splits text into units: a run of letters with the space in front of it, or one character. Pieces merge only within
 * a unit. Digits stay single, so that the model sees every digit of a sum.
 */
export function splitIntoUnits(text: string): readonly string[] {
  return text.replaceAll(" ", "▁").match(/▁?[A-Za-z]+|[\s\S]/gu) ?? [];
}
