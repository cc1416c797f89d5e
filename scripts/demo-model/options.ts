import { type TensorType, tensorTypes } from "./gguf/tensor-encoding.ts";

/** The value of a command-line option that must be a whole number above zero. */
export function positiveInteger(option: string, value: string): number {
  const number = Number(value);
  if (!Number.isSafeInteger(number) || number <= 0)
    throw new Error(`--${option} ${value}: a whole number above 0`);
  return number;
}

/** The value of `--type`. */
export function tensorType(value: string): TensorType {
  if (!Object.hasOwn(tensorTypes, value)) {
    throw new Error(`--type ${value}: one of ${Object.keys(tensorTypes).join(", ")}`);
  }
  return value as TensorType;
}
