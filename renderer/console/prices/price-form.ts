import { plainNumber } from "../../../app/format/typed-number.ts";
import { type ClassPrice, factorsMistake, type PriceFactors } from "../../../app/money/price-list.ts";

/** A price as an admin types it. `subject`: a model; empty: the percents of all models. */
export type TypedPrice = {
  readonly subject: string;
  readonly prompt: string;
  readonly completion: string;
  readonly low: string;
  readonly normal: string;
  readonly high: string;
  readonly text: string;
  readonly embedding: string;
  /** By the name of a data class. */
  readonly classes: Readonly<Record<string, string>>;
  /** Empty hours: none. */
  readonly from: string;
  readonly to: string;
  readonly hourPercent: string;
  /** Date and time as the browser's field has them, in local time; empty: now. */
  readonly begin: string;
  readonly why: string;
};

/** Percents as the server takes them. */
type SentFactors = PriceFactors & { readonly classes?: ClassPrice[] };

export type ParsedPrice =
  | {
      readonly kind: "ok";
      readonly of:
        | { readonly modelId: string; readonly price: { promptMicro: bigint; completionMicro: bigint } }
        | { readonly factors: SentFactors };
      readonly from: number | null;
      readonly why: string | null;
    }
  | { readonly kind: "wrong"; readonly why: string };

const wrong = (why: string): ParsedPrice => ({ kind: "wrong", why });

/** @param now ms epoch. */
export function parsePriceForm(typed: TypedPrice, now: number): ParsedPrice {
  const from = typed.begin === "" ? null : new Date(typed.begin).getTime();
  if (from !== null && !(from > now)) return wrong("Choose a time that has not passed, or leave it empty.");
  const why = typed.why.trim() === "" ? null : typed.why.trim();
  if (typed.subject !== "") {
    const [promptMicro, completionMicro] = [typed.prompt, typed.completion].map(microPerToken);
    if (promptMicro == null || completionMicro == null)
      return wrong("Enter credits, with at most 3 digits after the point.");
    const price = { promptMicro, completionMicro };
    return { kind: "ok", of: { modelId: typed.subject, price }, from, why };
  }
  const hasHours = typed.from.trim() !== "" || typed.to.trim() !== "";
  const ofClasses = Object.entries(typed.classes).map(([name, text]) => ({ name, percent: whole(text) }));
  const classes = ofClasses.filter(({ percent }) => percent !== 100);
  const factors: SentFactors = {
    low: whole(typed.low),
    normal: whole(typed.normal),
    high: whole(typed.high),
    text: whole(typed.text),
    embedding: whole(typed.embedding),
    ...(classes.length === 0 ? {} : { classes }),
    hours: hasHours
      ? { from: whole(typed.from), to: whole(typed.to), percent: whole(typed.hourPercent) }
      : null,
  };
  const mistake = factorsMistake(factors);
  return mistake === null ? { kind: "ok", of: { factors }, from, why } : wrong(mistake);
}

function whole(typed: string): number {
  return /^\d{1,5}$/.test(typed.trim()) ? Number(typed.trim()) : Number.NaN;
}

/** Micro-credits per token from typed credits per 1,000 tokens. Null: it is none. */
function microPerToken(typed: string): bigint | null {
  const digits = plainNumber(typed.replaceAll(/[ _]/g, ""));
  const [, whole = "", part = ""] = /^(\d{1,9})(?:\.(\d{1,3}))?$/.exec(digits) ?? [];
  return whole === "" ? null : BigInt(whole + part.padEnd(3, "0"));
}
