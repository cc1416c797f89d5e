import { plainNumber } from "../../../app/format/typed-number.ts";
import { type CatalogEntry, catalogEntry, type ModelPieces } from "../../../app/models/catalog-entry.ts";

/** A model's form, as typed. */
export type ModelForm = {
  readonly modelId: string;
  readonly source: string;
  readonly sha256: string;
  readonly sizeBytes: string;
  readonly contextTokens: string;
  readonly licence: string;
  readonly template: string;
  /** In credits per 1,000 tokens. */
  readonly prompt: string;
  readonly completion: string;
  /** Only a file can set it, because nobody types a thousand hashes. */
  readonly pieces: ModelPieces | null;
};

export type FormField = Exclude<keyof ModelForm, "pieces">;

export const emptyForm: ModelForm = {
  modelId: "",
  source: "",
  sha256: "",
  sizeBytes: "",
  contextTokens: "",
  licence: "",
  template: "",
  prompt: "20",
  completion: "100",
  pieces: null,
};

type ParsedForm =
  | {
      readonly kind: "ok";
      readonly entry: CatalogEntry;
      readonly price: { readonly promptMicro: bigint; readonly completionMicro: bigint };
    }
  | { readonly kind: "wrong"; readonly problems: Readonly<Partial<Record<FormField, string>>> };

const words: Readonly<Record<Exclude<FormField, "prompt" | "completion">, string>> = {
  modelId: "Enter a name of 1 to 200 characters.",
  source: "Enter https://…, hf:user/repository/file.gguf, or bundled.",
  sha256: "Enter 64 characters: digits and letters from a to f.",
  sizeBytes: "Enter the size as a whole number of bytes.",
  contextTokens: "Enter a whole number of tokens.",
  licence: "Enter at most 200 characters.",
  template: "Enter at most 65,536 characters.",
};

const wrongPieces = "The hashes of its pieces belong to a file of another size.";

/** Parses the form with the server's bounds. Returns the entry, or an error for each invalid field. */
export function parseForm(form: ModelForm): ParsedForm {
  const { prompt, completion, pieces } = form;
  const text = (field: FormField): string => form[field].trim();
  const parsed = catalogEntry.safeParse({
    modelId: text("modelId"),
    source: text("source"),
    sha256: text("sha256").toLowerCase(),
    sizeBytes: wholeNumber(text("sizeBytes")),
    contextTokens: wholeNumber(text("contextTokens")),
    licence: text("licence"),
    template: text("template") === "" ? null : form.template,
    pieces,
  });
  const problems: Partial<Record<FormField, string>> = {};
  for (const issue of parsed.success ? [] : parsed.error.issues) {
    const [field] = issue.path;
    if (typeof field === "string" && field in words) {
      problems[field as keyof typeof words] = words[field as keyof typeof words];
    } else {
      problems.sizeBytes = wrongPieces;
    }
  }
  const prices = { prompt: priceFrom(prompt), completion: priceFrom(completion) };
  for (const field of ["prompt", "completion"] as const) {
    if (prices[field] === null) problems[field] = "Enter credits, with at most 3 digits after the point.";
  }
  if (!parsed.success || prices.prompt === null || prices.completion === null)
    return { kind: "wrong", problems };
  const price = { promptMicro: prices.prompt, completionMicro: prices.completion };
  return { kind: "ok", entry: parsed.data, price };
}

/** The fields of the form that an entry fills. */
export type EntryFields = Omit<ModelForm, "prompt" | "completion">;

type ReadEntry =
  | {
      readonly kind: "read";
      readonly fields: EntryFields;
      /** The memory that the model needs; null if the command was of an earlier version. */
      readonly needsBytes: number | null;
    }
  | { readonly kind: "wrong"; readonly why: string };

/** Reads a catalog entry as `gleaner entry` prints it. */
export function readEntry(text: string): ReadEntry {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    json = null;
  }
  if (typeof json !== "object" || json === null) {
    return { kind: "wrong", why: "This is not what the command prints. Take all of it, from { to }." };
  }
  const parsed = catalogEntry.safeParse({ template: null, pieces: null, ...json });
  if (!parsed.success) return { kind: "wrong", why: entryProblem(parsed.error.issues[0]?.path[0]) };
  const { sizeBytes, contextTokens, template, ...rest } = parsed.data;
  const fields = {
    ...rest,
    sizeBytes: String(sizeBytes),
    contextTokens: String(contextTokens),
    template: template ?? "",
  };
  const needs: unknown = "needsBytes" in json ? json.needsBytes : null;
  return { kind: "read", fields, needsBytes: typeof needs === "number" && needs > 0 ? needs : null };
}

function entryProblem(field: PropertyKey | undefined): string {
  return typeof field === "string" && field in words
    ? `This is not a model entry: its “${field}” is missing or wrong.`
    : wrongPieces;
}

function wholeNumber(typed: string): number {
  const digits = plainNumber(typed.replaceAll(/[ _]/g, ""));
  return /^\d{1,15}$/.test(digits) ? Number(digits) : Number.NaN;
}

/** Credits per 1,000 tokens as micro-credits per token. Null if it is no price. */
function priceFrom(typed: string): bigint | null {
  const digits = plainNumber(typed.replaceAll(/[ _]/g, ""));
  const [, whole = "", part = ""] = /^(\d{1,9})(?:\.(\d{1,3}))?$/.exec(digits) ?? [];
  return whole === "" ? null : BigInt(whole + part.padEnd(3, "0"));
}
