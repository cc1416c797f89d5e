import { words } from "./lists.ts";

/**
 * Members of categories, for prompts such as "list three fruits". The answer is always the first ones, so that only
 * one answer is right.
 */
export const categories: readonly (readonly [name: string, entries: readonly string[]])[] = [
  ["fruits", words("apple banana cherry grape mango orange")],
  ["colours", words("red blue green yellow black white")],
  ["animals", words("dog cat horse rabbit lion eagle")],
  ["vegetables", words("carrot potato onion tomato pea bean")],
  ["planets", words("Mercury Venus Earth Mars Jupiter Saturn")],
  ["instruments", words("piano guitar violin drum flute trumpet")],
  ["sports", words("football tennis swimming running cycling skiing")],
  ["tools", words("hammer saw drill wrench pliers screwdriver")],
  ["languages", words("English French German Spanish Italian Japanese")],
  ["trees", words("oak birch pine maple willow ash")],
];
