/** A SHA-256 in lower-case hex. */
export type Hash = (text: string) => Promise<string>;

/** A neighbor on the way from a leaf to the root, and its side. */
export type ProofStep = { readonly side: "left" | "right"; readonly hash: string };

/** Leaves and nodes are hashed apart, so that nobody can pass a node off as a leaf. */
const leafOf = async (text: string, hash: Hash): Promise<string> => await hash(`leaf\n${text}`);
const nodeOf = async (left: string, right: string, hash: Hash): Promise<string> =>
  await hash(`node\n${left}\n${right}`);

/** The hashes of a Merkle tree: the leaves first, the root last. */
export type MerkleLevels = readonly (readonly string[])[];

/** The tree over at least one text. A node without a neighbor moves up as it is. */
export async function merkleLevels(texts: readonly string[], hash: Hash): Promise<MerkleLevels> {
  let level: readonly string[] = await Promise.all(texts.map(async (text) => await leafOf(text, hash)));
  const levels = [level];
  while (level.length > 1) {
    const below = level;
    const pairs = Array.from({ length: Math.ceil(below.length / 2) }, (_, pair) => pair * 2);
    level = await Promise.all(
      pairs.map(async (at) => {
        const [left = "", right] = [below[at], below[at + 1]];
        return right === undefined ? left : await nodeOf(left, right, hash);
      }),
    );
    levels.push(level);
  }
  return levels;
}

export function merkleRoot(levels: MerkleLevels): string {
  return levels.at(-1)?.[0] ?? "";
}

/** The steps that lead from one text to the root. */
export function merkleProof(levels: MerkleLevels, index: number): ProofStep[] {
  const steps: ProofStep[] = [];
  let at = index;
  for (const level of levels.slice(0, -1)) {
    const isRight = at % 2 === 1;
    const neighbor = level[isRight ? at - 1 : at + 1];
    if (neighbor !== undefined) steps.push({ side: isRight ? "left" : "right", hash: neighbor });
    at = Math.floor(at / 2);
  }
  return steps;
}

/** The root to which a text's steps lead. */
export async function rootOfProof(text: string, steps: readonly ProofStep[], hash: Hash): Promise<string> {
  let at = await leafOf(text, hash);
  for (const step of steps)
    at = step.side === "left" ? await nodeOf(step.hash, at, hash) : await nodeOf(at, step.hash, hash);
  return at;
}
