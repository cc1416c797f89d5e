import type { Option } from "../../ui/Select.tsx";

/** Choices as a select shows them; a value set elsewhere that is none of the choices is put in its place by size. */
export function optionsFor(
  choices: readonly number[],
  value: number,
  words: (choice: number) => string,
): readonly Option[] {
  const all = choices.includes(value) ? choices : [...choices, value].sort((a, b) => a - b);
  return all.map((choice) => ({ value: choice.toString(), label: words(choice) }));
}

export const idleChoices = [30, 60, 120, 300, 600, 900, 1_800, 3_600] as const;
export const batteryChoices = [20, 30, 40, 50, 60, 70, 80, 90] as const;
export const loadChoices = [20, 30, 40, 50, 60, 70, 80, 90, 100] as const;

/** Seconds as "45 seconds", "2 minutes", "1 hour". */
export function idleWords(seconds: number): string {
  const [count, unit] =
    seconds % 3_600 === 0
      ? [seconds / 3_600, "hour"]
      : seconds % 60 === 0
        ? [seconds / 60, "minute"]
        : [seconds, "second"];
  return `${count} ${unit}${count === 1 ? "" : "s"}`;
}
