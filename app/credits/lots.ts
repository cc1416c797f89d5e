/** Credits of an account that were earned in one month (UTC). `startAt`: its start, ms epoch. */
export type Lot = { readonly startAt: number; readonly micro: bigint };

/** A part of a lot that is taken from an account. */
export type Piece = Lot & { readonly account: string };

/** Adds credits of a month to lots, or takes them if `micro` is negative. Oldest first, without empty ones. */
export function addToLots(lots: readonly Lot[], startAt: number, micro: bigint): Lot[] {
  const known = lots.find((lot) => lot.startAt === startAt);
  const others = lots.filter((lot) => lot !== known);
  const sum = (known?.micro ?? 0n) + micro;
  return [...others, ...(sum === 0n ? [] : [{ startAt, micro: sum }])].sort((a, b) => a.startAt - b.startAt);
}

export function sumOfLots(lots: readonly Lot[]): bigint {
  return lots.reduce((sum, { micro }) => sum + micro, 0n);
}

/** Chooses an amount from several accounts, the oldest credits first. Null if they have less. */
export function takeOldest(
  accounts: readonly { readonly account: string; readonly lots: readonly Lot[] }[],
  micro: bigint,
): Piece[] | null {
  const all = accounts
    .flatMap(({ account, lots }) => lots.map((lot) => ({ account, ...lot })))
    .filter((piece) => piece.micro > 0n)
    .sort((a, b) => a.startAt - b.startAt);
  const taken: Piece[] = [];
  let missing = micro;
  for (const piece of all) {
    if (missing <= 0n) break;
    const part = piece.micro < missing ? piece.micro : missing;
    taken.push({ ...piece, micro: part });
    missing -= part;
  }
  return missing > 0n ? null : taken;
}

/** The same credits by month only. */
export function lotsOfPieces(pieces: readonly Piece[]): Lot[] {
  return pieces.reduce<Lot[]>((lots, { startAt, micro }) => addToLots(lots, startAt, micro), []);
}
