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
  /** In credits per million tokens, which equals micro-credits per token. */
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
      problems.sizeBytes = "The hashes of its pieces belong to a file of another size.";
    }
  }
  const prices = { prompt: credits(prompt), completion: credits(completion) };
  for (const field of ["prompt", "completion"] as const) {
    if (prices[field] === null) problems[field] = "Enter a whole number of credits.";
  }
  if (!parsed.success || prices.prompt === null || prices.completion === null)
    return { kind: "wrong", problems };
  const price = { promptMicro: prices.prompt, completionMicro: prices.completion };
  return { kind: "ok", entry: parsed.data, price };
}

/** Reads a catalog entry as `gleaner entry` prints it. Null if the text is not an entry. */
export function readEntry(text: string): Omit<ModelForm, "prompt" | "completion"> | null {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    return null;
  }
  const parsed = catalogEntry.safeParse(
    typeof json === "object" ? { template: null, pieces: null, ...json } : json,
  );
  if (!parsed.success) return null;
  const { sizeBytes, contextTokens, template, ...rest } = parsed.data;
  return {
    ...rest,
    sizeBytes: String(sizeBytes),
    contextTokens: String(contextTokens),
    template: template ?? "",
  };
}

function wholeNumber(typed: string): number {
  const digits = plainNumber(typed.replaceAll(/[ _]/g, ""));
  return /^\d{1,15}$/.test(digits) ? Number(digits) : Number.NaN;
}

function credits(typed: string): bigint | null {
  const digits = plainNumber(typed.replaceAll(/[ _]/g, ""));
  return /^\d{1,12}$/.test(digits) ? BigInt(digits) : null;
}
