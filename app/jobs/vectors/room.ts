import { limits } from "../limits.ts";

/** The bytes of an answer for each number of a vector: in base64, and as most numbers are in JSON, with a comma. */
export const numberBytes = { base64: 16 / 3, float: 22 } as const;

/** Whether so many vectors take more than an answer may. All vectors of a model have one length, so one in base64 tells the size. */
export function takeTooMuch(vector: string, count: number, bytesOfNumber: number): boolean {
  return count * (vector.length / numberBytes.base64) * bytesOfNumber > limits.vectorsBytes;
}

/** The sentences of an answer that is too large. `remedy`: also a sentence. */
export function tooLargeWords(remedy: string): string {
  return `The vectors of these inputs take more than ${String(limits.vectorsBytes / 2 ** 20)} MiB. ${remedy}`;
}

export const remedies = { inputs: "Send fewer inputs.", documents: "Send fewer documents." } as const;
