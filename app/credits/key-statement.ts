import { type Cell, csvOf } from "../format/csv.ts";
import { type KeyMove, keyMoveWords } from "./key-moves.ts";
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
  readonly moves: readonly KeyMove[];
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

const freeWords: Readonly<Record<keyof KeyStatement["free"], string>> = {
  own: /* @wc-include */ "without charge: by own devices",
  failed: /* @wc-include */ "without charge: failed",
  canceled: /* @wc-include */ "without charge: canceled",
  expired: /* @wc-include */ "without charge: expired",
};

/**
 * The statement as CSV, in the language of this page. Prices are in credits per 1,000 tokens. The amounts of its lines add up to the last
 * balance.
 */
export function keyStatementCsv(statement: KeyStatement): string {
  const { from, to, charges, free, moves, openingMicro, closingMicro } = statement;
  const last = date(to - 1);
  const nothing = (count: number): null[] => Array.from({ length: count }, () => null);
  const rows: (readonly Cell[])[] = [
    ...moves.map((move): readonly Cell[] => [
      ...[date(move.at), keyMoveWords(move), move.note],
      ...[...nothing(8), credits(move.micro), null],
    ]),
    ...charges.map((charge): readonly Cell[] => [
      ...[last, /* @wc-include */ "jobs", charge.modelId === otherPrices ? "other prices" : charge.modelId],
      ...[charge.priceVersion, charge.jobs, charge.promptTokens, charge.completionTokens],
      ...[decimalOf(charge.promptMicro, 3), decimalOf(charge.completionMicro, 3), charge.percent],
      ...[credits(charge.coveredMicro), credits(charge.coveredMicro - charge.micro), null],
    ]),
    ...(["own", "failed", "canceled", "expired"] as const).flatMap((kind): (readonly Cell[])[] =>
      free[kind] === 0
        ? []
        : [[last, freeWords[kind], null, null, free[kind], ...nothing(6), credits(0n), null]],
    ),
  ];
  const head = [
    /* @wc-include */ "date",
    /* @wc-include */ "line",
    /* @wc-include */ "name",
    "price version",
    /* @wc-include */ "jobs",
    "tokens in",
    "tokens out",
    "price in",
    "price out",
    /* @wc-include */ "percent",
    /* @wc-include */ "covered",
    /* @wc-include */ "credits",
    /* @wc-include */ "balance",
  ];
  return csvOf(head, [
    [date(from), "opening balance", ...nothing(10), credits(openingMicro)],
    ...rows,
    [last, "closing balance", ...nothing(10), credits(closingMicro)],
  ]);
}
