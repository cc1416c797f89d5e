/**
 * Cuts text into the units within which pieces may merge: a run of letters with the space in front of it, or
 * one character. Digits thus stay single, so that the model sees every digit of a sum.
 */
export function splitIntoUnits(text: string): readonly string[] {
  return text.replaceAll(" ", "▁").match(/▁?[A-Za-z]+|[\s\S]/gu) ?? [];
}
