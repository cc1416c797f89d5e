import type { GgufFile, Tensor } from "./file.ts";

/** The model with other weights: each number of a matrix gets noise of up to `share` times the mean size of the matrix's numbers. */
export function withNoise(file: GgufFile, share: number): GgufFile {
  let state = 1;
  // A linear congruential generator, so that the file is the same each time.
  const next = (): number => {
    state = (state * 1_664_525 + 1_013_904_223) >>> 0;
    return 2 * (state / 2 ** 32) - 1;
  };
  return withMatrices(file, (numbers) => {
    const size = numbers.reduce((sum, number) => sum + Math.abs(number), 0) / numbers.length;
    return numbers.map((number) => number + next() * share * size);
  });
}

/** Numbers that share a scale, as in ggml's types Q4_0 and Q8_0. */
const blockLength = 32;

/** The model with a coarser quantization: each number has `bits` bits, and a scale for each block. The file keeps its size. */
export function withFewerBits(file: GgufFile, bits: number): GgufFile {
  const most = 2 ** (bits - 1) - 1;
  return withMatrices(file, (numbers) => {
    const rounded = new Float32Array(numbers.length);
    for (let start = 0; start < numbers.length; start += blockLength) {
      const block = numbers.subarray(start, start + blockLength);
      const scale = block.reduce((largest, number) => Math.max(largest, Math.abs(number)), 0) / most;
      block.forEach(
        (number, at) => (rounded[start + at] = scale === 0 ? 0 : Math.round(number / scale) * scale),
      );
    }
    return rounded;
  });
}

function withMatrices(file: GgufFile, change: (numbers: Float32Array) => Float32Array): GgufFile {
  const tensors = file.tensors.map((tensor): Tensor =>
    tensor.shape.length < 2 ? tensor : { ...tensor, load: () => change(tensor.load()) },
  );
  return { ...file, tensors };
}
