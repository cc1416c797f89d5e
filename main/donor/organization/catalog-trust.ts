import * as z from "zod";
import {
  type DonorSentence,
  type ListProblem,
  sayDonorSentence,
  sentenceOf,
} from "../../../app/contract/sentences/donor-sentences.ts";
import type { ModelPieces } from "../../../app/models/catalog-entry.ts";
import {
  catalogStatement,
  type Handover,
  handoverStatement,
  keyFingerprint,
  maxHandovers,
  piecesText,
  type SignableModel,
} from "../../../app/signatures/catalog.ts";
import { publicKeyPattern, signaturePattern } from "../../../app/signatures/statements.ts";
import { isSigned } from "../../is-signed.ts";
import type { Log } from "../../log.ts";
import { sha256 } from "./signer.ts";

const publicKey = z.string().regex(publicKeyPattern);
const signature = z.string().regex(signaturePattern);

/** The signature of a catalog, as the backend sends it. */
const catalogSignature = z.object({
  publicKey,
  version: z.number().int().positive(),
  signature,
  handovers: z.array(z.object({ from: publicKey, to: publicKey, signature })).max(maxHandovers),
});

/** The organization's key that this device accepts, and the highest version of a catalog that it signed. */
export type PinnedKey = { readonly publicKey: string; readonly version: number };

type TrustDeps = {
  readonly pinned: () => PinnedKey | null;
  readonly pin: (key: PinnedKey) => void;
  readonly log: Log;
};

/** A catalog as the backend sent it. */
export type OfferedCatalog = {
  readonly organizationId: string;
  readonly models: readonly SignableModel[];
  readonly signature: unknown;
};

/**
 * Accepts only catalogs that the organization's key signed, and none that is older than one accepted before. The first key
 * is pinned: at the enrollment, or with the first signed catalog. A refused catalog changes nothing: the last one stays. It
 * is not stored, so after a restart there is none.
 */
export class CatalogTrust {
  readonly #deps: TrustDeps;
  #models: readonly SignableModel[] = [];
  #problem: ListProblem | null = null;

  constructor(deps: TrustDeps) {
    this.#deps = deps;
  }

  /** Why the last catalog was refused and what that means, in words for the donor. Null if it was accepted. */
  get problem(): string | null {
    const { said } = this;
    return said === null ? null : sayDonorSentence(said, said.name);
  }

  /** The same sentence by its name. */
  get said(): DonorSentence | null {
    if (this.#problem === null) return null;
    return sentenceOf("list-refused", this.#problem, this.#models.length > 0 ? "kept" : "none");
  }

  /** The part of the pinned key that people compare. Null without a key. */
  get fingerprint(): string | null {
    const pinned = this.#deps.pinned();
    return pinned === null ? null : keyFingerprint(pinned.publicKey);
  }

  /** The models that may be used now: those of this catalog, or of the last accepted one. */
  judge(catalog: OfferedCatalog): readonly SignableModel[] {
    const problem = this.#problemOf(catalog);
    if (problem === null) this.#models = catalog.models;
    else if (problem !== this.#problem) this.#deps.log("error", "catalog.refused", { problem });
    this.#problem = problem;
    return this.#models;
  }

  /** Whether a list of pieces is the one of the accepted catalog. Without a signature every list is taken. */
  accepts(file: string, pieces: ModelPieces): boolean {
    if (this.#deps.pinned() === null) return true;
    const hash = sha256(piecesText(pieces));
    const accepted = this.#models.some((model) => model.sha256 === file && model.piecesHash === hash);
    if (!accepted) this.#deps.log("warn", "pieces.refused", { file });
    return accepted;
  }

  #problemOf({ organizationId, models, signature }: OfferedCatalog): ListProblem | null {
    const pinned = this.#deps.pinned();
    if (signature === null && pinned === null) return null;
    // A device that is out of service gets an empty list without a signature. It can do no harm.
    if (signature === null && models.length === 0) return null;
    if (signature === null) return "unsigned";
    const read = catalogSignature.safeParse(signature);
    if (!read.success) return "wrong";
    const { publicKey, version, signature: value, handovers } = read.data;
    if (pinned !== null && !leadsTo(organizationId, pinned.publicKey, publicKey, handovers)) {
      return "other-key";
    }
    if (!isSigned(publicKey, value, catalogStatement(organizationId, version, models))) return "wrong";
    if (pinned !== null && version < pinned.version) return "older";
    if (pinned?.publicKey !== publicKey || pinned.version !== version) this.#deps.pin({ publicKey, version });
    return null;
  }
}

/** Whether the pinned key signed the present one, or a chain of handovers leads to it. */
function leadsTo(
  organizationId: string,
  pinned: string,
  present: string,
  handovers: readonly Handover[],
): boolean {
  let trusted = pinned;
  const start = handovers.findIndex(({ from }) => from === pinned);
  for (const { from, to, signature } of start === -1 ? [] : handovers.slice(start)) {
    if (trusted === present) break;
    if (from !== trusted || !isSigned(from, signature, handoverStatement(organizationId, from, to)))
      return false;
    trusted = to;
  }
  return trusted === present;
}
