import type { Task } from "./task.ts";

/** Sums of two numbers below 100, half of them below 21. */
export const add: Task = (random) => {
  const largest = random.chance(0.5) ? 20 : 99;
  const a = random.integer(0, largest);
  const b = random.integer(0, largest);
  const prompt = random.pick([
    `What is ${a} + ${b}?`,
    `${a} + ${b}`,
    `Calculate ${a} + ${b}`,
    `${a}+${b}=`,
    `Add ${a} and ${b}.`,
    `What is ${a} plus ${b}?`,
    `How much is ${a} + ${b}?`,
  ]);
  return { prompt, answer: `${a} + ${b} = ${a + b}` };
};

/** Differences of two numbers below 100, never below zero. */
export const subtract: Task = (random) => {
  const first = random.integer(0, 99);
  const second = random.integer(0, 99);
  const a = Math.max(first, second);
  const b = Math.min(first, second);
  const prompt = random.pick([
    `What is ${a} - ${b}?`,
    `${a} - ${b}`,
    `Calculate ${a} - ${b}`,
    `${a}-${b}=`,
    `What is ${a} minus ${b}?`,
    `How much is ${a} - ${b}?`,
  ]);
  return { prompt, answer: `${a} - ${b} = ${a - b}` };
};

/** The multiplication table up to 12 × 12. */
export const multiply: Task = (random) => {
  const a = random.integer(0, 12);
  const b = random.integer(0, 12);
  const prompt = random.pick([
    `What is ${a} * ${b}?`,
    `${a} * ${b}`,
    `Calculate ${a} x ${b}`,
    `What is ${a} times ${b}?`,
    `Multiply ${a} by ${b}.`,
    `How much is ${a} * ${b}?`,
  ]);
  return { prompt, answer: `${a} * ${b} = ${a * b}` };
};
