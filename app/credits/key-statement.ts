import { type Cell, csvOf } from "../format/csv.ts";
import { decimalOf } from "./payout.ts";

/** The jobs of a key with one price: its formula is tokens × price × percent. Amounts are in micro-credits. */
export type KeyCharge = {
  readonly modelId: string;
  /** Of the model's price and of the percents, such as "3.2"; "0.0" is older than versions. */
  readonly priceVersion: string;
  readonly promptMicro: bigint;
  readonly completionMicro: bigint;
  readonly percent: number;
  readonly jobs: number;
  readonly promptTokens: number;
  readonly completionTokens: number;
  readonly micro: bigint;
  /** The part that the organization paid. */
  readonly coveredMicro: bigint;
};

/** The charges of a key in one month (UTC), and its jobs without a charge. `from`, `to`: ms epoch. */
export type KeyStatement = {
  readonly from: number;
  readonly to: number;
  readonly charges: readonly KeyCharge[];
  /** Jobs of the owner's own devices, and those without an answer. */
  readonly free: {
    readonly own: number;
    readonly failed: number;
    readonly canceled: number;
    readonly expired: number;
  };
  readonly moves: readonly { readonly at: number; readonly micro: bigint; readonly note: string | null }[];
  /** The balances before and after it, with what open jobs hold. */
  readonly openingMicro: bigint;
  readonly closingMicro: bigint;
};

/** More different prices in a month are one line. */
const mostCharges = 100;
export const otherPrices = "";

/** Adds charges of the same price. */
export function addCharges(before: readonly KeyCharge[], added: readonly KeyCharge[]): KeyCharge[] {
  const charges = [...before];
  for (const charge of added) {
    const found = charges.findIndex((each) => isSamePrice(each, charge));
    const others = charges.findIndex(({ modelId }) => modelId === otherPrices);
    const place = found >= 0 || charges.length < mostCharges ? found : others;
    const known = charges[place];
    if (known !== undefined) charges[place] = plus(known, charge);
    else charges.push(charges.length < mostCharges ? charge : { ...charge, ...unpriced });
  }
  return charges;
}

const unpriced = {
  modelId: otherPrices,
  priceVersion: "",
  promptMicro: 0n,
  completionMicro: 0n,
  percent: 100,
};

function isSamePrice(a: KeyCharge, b: KeyCharge): boolean {
  return (
    a.modelId === b.modelId &&
    a.priceVersion === b.priceVersion &&
    a.percent === b.percent &&
    a.promptMicro === b.promptMicro &&
    a.completionMicro === b.completionMicro
  );
}

function plus(a: KeyCharge, b: KeyCharge): KeyCharge {
  return {
    ...a,
    jobs: a.jobs + b.jobs,
    promptTokens: a.promptTokens + b.promptTokens,
    completionTokens: a.completionTokens + b.completionTokens,
    micro: a.micro + b.micro,
    coveredMicro: a.coveredMicro + b.coveredMicro,
  };
}

/** The key's own part of the price of its jobs. */
export function paidByKey({ charges }: Pick<KeyStatement, "charges">): bigint {
  return charges.reduce((sum, { micro, coveredMicro }) => sum + micro - coveredMicro, 0n);
}

const date = (at: number): string => new Date(at).toISOString().slice(0, 10);
const credits = (micro: bigint): string => decimalOf(micro, 6);

/** The statement as CSV. Prices are in credits per 1,000 tokens. The amounts of its lines add up to the last balance. */
export function keyStatementCsv(statement: KeyStatement): string {
  const { from, to, charges, free, moves, openingMicro, closingMicro } = statement;
  const last = date(to - 1);
  const nothing = (count: number): null[] => Array.from({ length: count }, () => null);
  const rows: (readonly Cell[])[] = [
    ...moves.map(({ at, micro, note }): readonly Cell[] => [
      ...[date(at), micro < 0n ? "taken back" : "given", note],
      ...[...nothing(8), credits(micro), null],
    ]),
    ...charges.map((charge): readonly Cell[] => [
      ...[last, "jobs", charge.modelId === otherPrices ? "other prices" : charge.modelId],
      ...[charge.priceVersion, charge.jobs, charge.promptTokens, charge.completionTokens],
      ...[decimalOf(charge.promptMicro, 3), decimalOf(charge.completionMicro, 3), charge.percent],
      ...[credits(charge.coveredMicro), credits(charge.coveredMicro - charge.micro), null],
    ]),
    ...Object.entries(free).flatMap(([kind, jobs]): (readonly Cell[])[] =>
      jobs === 0
        ? []
        : [[last, `without charge: ${kind}`, null, null, jobs, ...nothing(6), credits(0n), null]],
    ),
  ];
  const head = ["date", "line", "of", "price version", "jobs", "tokens in", "tokens out", "price in"];
  const tail = ["price out", "percent", "covered", "credits", "balance"];
  return csvOf(
    [...head, ...tail],
    [
      [date(from), "opening balance", ...nothing(10), credits(openingMicro)],
      ...rows,
      [last, "closing balance", ...nothing(10), credits(closingMicro)],
    ],
  );
}
