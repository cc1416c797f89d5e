import { pbkdf2 } from "@noble/hashes/pbkdf2.js";
import { scrypt } from "@noble/hashes/scrypt.js";
import { sha256, sha512 } from "@noble/hashes/sha2.js";

/* Programs that take much processor time, as an app could have them. Each returns a value that needs all of its work. */

type Tree = { readonly [name: string]: Tree | number | string } | readonly Tree[];

class Point {
  readonly x: number;
  readonly y: number;
  constructor(x: number, y: number) {
    this.x = x;
    this.y = y;
  }
  plus(other: Point): Point {
    return new Point(this.x + other.x, this.y + other.y);
  }
}

type Row = number[];

function randomNumbers(count: number): number[] {
  let seed = 1;
  return Array.from({ length: count }, () => (seed = (seed * 48_271) % 2_147_483_647));
}

function matrixProduct(): number {
  const size = 160;
  const matrix = (value: (i: number, j: number) => number) =>
    Array.from({ length: size }, (_, i) => Array.from({ length: size }, (_, j) => value(i, j)));
  const a = matrix((i, j) => i + j);
  const b = matrix((i, j) => i - j);
  const product = matrix(() => 0);
  for (let i = 0; i < size; i++) {
    for (let j = 0; j < size; j++) {
      let sum = 0;
      for (let k = 0; k < size; k++) sum += ((a[i] as Row)[k] as number) * ((b[k] as Row)[j] as number);
      (product[i] as Row)[j] = sum;
    }
  }
  return (product[3] as Row)[5] as number;
}

function primes(): number {
  const isComposite = new Uint8Array(1_000_000);
  let count = 0;
  for (let n = 2; n < isComposite.length; n++) {
    if (isComposite[n]) continue;
    count++;
    for (let m = n * 2; m < isComposite.length; m += n) isComposite[m] = 1;
  }
  return count;
}

/** Two calls for each of many small objects. */
function smallObjects(): number {
  const make = (x: number, y: number): { x: number; y: number } => ({ x, y });
  const add = (a: { x: number; y: number }, b: { x: number; y: number }) => make(a.x + b.x, a.y + b.y);
  let sum = make(0, 0);
  for (let i = 0; i < 1_000_000; i++) sum = add(sum, make(i, 1));
  return sum.x;
}

function classes(): number {
  let sum = new Point(0, 0);
  for (let i = 0; i < 1_000_000; i++) sum = sum.plus(new Point(i, 1));
  return sum.x;
}

function closures(): number {
  const counter = (start: number) => {
    let count = start;
    return { next: () => (count += 1), value: () => count };
  };
  let sum = 0;
  for (let i = 0; i < 300_000; i++) {
    const { next, value } = counter(i);
    next();
    sum += value();
  }
  return sum;
}

function strings(): number {
  let text = "";
  for (let i = 0; i < 100_000; i++) text += `${i.toString(36)},`;
  return text.split(",").filter((part) => part.includes("z")).length;
}

function sorting(): number {
  const rows = randomNumbers(50_000).map((rank) => ({ rank }));
  return rows.sort((a, b) => a.rank - b.rank).findIndex(({ rank }) => rank > 1_000_000_000);
}

function mapsAndSets(): number {
  const counts = new Map<number, number>();
  const seen = new Set<string>();
  for (const value of randomNumbers(100_000)) {
    counts.set(value % 1_000, (counts.get(value % 1_000) ?? 0) + 1);
    seen.add(`k${value % 5_000}`);
  }
  return counts.size + seen.size;
}

function tree(depth: number): Tree {
  return depth === 0 ? [] : { left: tree(depth - 1), right: [tree(depth - 1)], name: "node", rank: depth };
}

function isList(value: Tree): value is readonly Tree[] {
  return Array.isArray(value);
}

function sizeOf(value: Tree | number | string): number {
  if (typeof value === "number") return 1;
  if (typeof value === "string") return value.length;
  if (isList(value)) return value.reduce<number>((sum, each) => sum + sizeOf(each), 1);
  let size = 1;
  for (const [name, each] of Object.entries(value)) size += name.length + sizeOf(each);
  return size;
}

function treeWalk(): number {
  return sizeOf(tree(13));
}

function fibonacci(n: number): number {
  return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2);
}

/** By the names that the benchmark prints. */
export const programs: { readonly [name: string]: () => unknown } = {
  scrypt: () => scrypt("password", "salt", { N: 2_048, r: 16, p: 1 }).join(),
  pbkdf2Sha256: () => pbkdf2(sha256, "password", "salt", { c: 8_000, dkLen: 32 }).join(),
  pbkdf2Sha512: () => pbkdf2(sha512, "password", "salt", { c: 3_000, dkLen: 64 }).join(),
  matrixProduct,
  primes,
  smallObjects,
  classes,
  closures,
  strings,
  sorting,
  mapsAndSets,
  treeWalk,
  fibonacci: () => fibonacci(27),
};
