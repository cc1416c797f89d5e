import { ConvexHttpClient } from "convex/browser";
import type { FunctionArgs, FunctionReference, FunctionReturnType } from "convex/server";
import type { ModelManifest } from "../../app/contract/model-manifest.ts";
import { shownPrefix } from "../../app/format/secrets.ts";
import { internal } from "../../convex/_generated/api.js";
import type { Id } from "../../convex/_generated/dataModel.js";
import type { Pin } from "../../main/connection/pin.ts";
import { LaunchError } from "../core/launch-error.ts";
import { networkReason } from "../core/network-reason.ts";
import { fetchPinned } from "../core/pinned-fetch.ts";
import { hashSecret, makeEnrollmentCode, makeSecret } from "./secrets.ts";

/** For whom a sign-in link is; without an address for the first owner. */
type SignInTokenOptions = { readonly email?: string | undefined; readonly resetSecondFactor?: boolean };

/** The demo model's price in micro-credits per token. */
const demoPrice = { promptMicro: 20_000n, completionMicro: 100_000n };

/** For a function of a backend that has just started, on a slow computer. Reading a large ledger takes longest. */
const answersWithinMs = 120_000;

/** The first requester may spend 100,000 credits. */
const firstCreditsMicro = 100_000_000_000n;

export type FirstOrganization = {
  readonly organizationId: Id<"organizations">;
  readonly apiKey: string;
  readonly enrollmentCode: string;
  readonly signInToken: string;
};

type SignOutcome = FunctionReturnType<typeof internal.setup.signCatalogs>[number]["outcome"];

const signingProblems: Readonly<Partial<Record<SignOutcome, string>>> = {
  "other-key":
    "they are signed with another key than the one in the file signing-key, so they cannot be changed. " +
    "Bring that file back; docs/signatures.md says how.",
  "changed-outside":
    "somebody changed them in the database, so devices refuse them. docs/signatures.md says what to do.",
};

/** Client methods that Convex's own CLI calls, but its published types omit. */
type AdminClient = {
  setAdminAuth(key: string): void;
  function(reference: unknown, componentPath: undefined, args: unknown): Promise<unknown>;
};

/** Calls the deployment's internal setup functions with the admin key, as `npx convex run` does. */
export class Setup {
  readonly #client: AdminClient;
  readonly #url: string;

  constructor(
    backend: { readonly url: string; readonly pin?: Pin | null; readonly adminKey: string },
    withinMs = answersWithinMs,
  ) {
    const fetch = fetchPinned(backend.pin ?? null, withinMs);
    this.#url = backend.url;
    this.#client = new ConvexHttpClient(backend.url, { logger: false, fetch }) as unknown as AdminClient;
    this.#client.setAdminAuth(backend.adminKey);
  }

  async #run<F extends FunctionReference<"query" | "mutation" | "action", "internal">>(
    reference: F,
    args: FunctionArgs<F>,
  ): Promise<FunctionReturnType<F>> {
    try {
      return await this.#client.function(reference, undefined, args);
    } catch (error) {
      if (!(error instanceof TypeError && error.message === "fetch failed")) throw error;
      throw new LaunchError(
        `Nothing answers at ${this.#url} (${networkReason(error)}).`,
        "Start it with `npm start`.",
      );
    }
  }

  /** The organizations that exist already, so that an interrupted setup can be completed. */
  async organizations(): Promise<readonly { readonly id: Id<"organizations">; readonly name: string }[]> {
    return (await this.#run(internal.setup.status, {})).organizations;
  }

  /** The organization's whole audit trail, oldest first, and its seals. */
  async auditTrail(organizationId: Id<"organizations">) {
    const rows: FunctionReturnType<typeof internal.setup.auditRows>["page"] = [];
    const seals: FunctionReturnType<typeof internal.setup.auditSeals> = [];
    for (let cursor: string | null = null, isDone = false; !isDone;) {
      const paginationOpts = { cursor, numItems: 90 };
      const page: FunctionReturnType<typeof internal.setup.auditRows> = await this.#run(
        internal.setup.auditRows,
        { organizationId, paginationOpts },
      );
      rows.push(...page.page);
      ({ isDone, continueCursor: cursor } = page);
    }
    for (;;) {
      const after = seals.at(-1)?.to ?? 0;
      const page = await this.#run(internal.setup.auditSeals, { organizationId, after });
      if (page.length === 0) return { rows: rows.reverse(), seals };
      seals.push(...page);
    }
  }

  async createOrganization(name: string, model: ModelManifest): Promise<FirstOrganization> {
    const secrets = {
      apiKey: makeSecret("sk-gleaner-"),
      enrollmentCode: makeEnrollmentCode(),
      signInToken: makeSecret("gs_"),
    };
    const { organizationId } = await this.#run(internal.setup.createOrganization, {
      name,
      signInTokenHash: hashSecret(secrets.signInToken),
      apiKeyHash: hashSecret(secrets.apiKey),
      apiKeyName: "First requester",
      apiKeyPrefix: shownPrefix(secrets.apiKey),
      enrollmentCodeHash: hashSecret(secrets.enrollmentCode),
      model: {
        modelId: model.id,
        sha256: model.sha256,
        sizeBytes: model.sizeBytes,
        contextTokens: model.contextTokens,
        source: "bundled",
        licence: model.licence ?? "",
        ...demoPrice,
      },
      creditsMicro: firstCreditsMicro,
    });
    // The backend makes it by itself a moment later. Until then it would refuse requests.
    await this.#run(internal.data.keys.makeFirst, { organizationId });
    return { organizationId, ...secrets };
  }

  /** A one-time sign-in token for an admin of the organization. */
  async makeSignInToken(
    organizationId: Id<"organizations">,
    { email, resetSecondFactor = false }: SignInTokenOptions = {},
  ): Promise<string> {
    const token = makeSecret("gs_");
    await this.#run(internal.setup.signInLink, {
      organizationId,
      ...(email === undefined ? {} : { email }),
      resetSecondFactor,
      tokenHash: hashSecret(token),
    });
    return token;
  }

  /** The token with which the organization's metrics are read. The earlier one ends. */
  async makeMetricsToken(organizationId: Id<"organizations">): Promise<string> {
    const token = makeSecret("gm_");
    await this.#run(internal.setup.setMetricsToken, { organizationId, tokenHash: hashSecret(token) });
    return token;
  }

  /** Ends the token, so that nobody can read the organization's metrics. */
  async removeMetricsToken(organizationId: Id<"organizations">): Promise<void> {
    await this.#run(internal.setup.setMetricsToken, { organizationId, tokenHash: null });
  }

  async issueKey(organizationId: Id<"organizations">, name: string): Promise<string> {
    const apiKey = makeSecret("sk-gleaner-");
    await this.#run(internal.setup.issueKey, {
      organizationId,
      name,
      keyHash: hashSecret(apiKey),
      prefix: shownPrefix(apiKey),
      creditsMicro: firstCreditsMicro,
    });
    return apiKey;
  }

  async issueEnrollmentCode(organizationId: Id<"organizations">, label: string): Promise<string> {
    const code = makeEnrollmentCode();
    await this.#run(internal.setup.issueEnrollmentCode, {
      organizationId,
      codeHash: hashSecret(code),
      label,
      uses: 1,
      expiresInHours: 24,
    });
    return code;
  }

  /** Signs what is not signed yet. @returns a note for the terminal for each catalog that could not be signed. */
  async signCatalogs(): Promise<readonly string[]> {
    const signed = await this.#run(internal.setup.signCatalogs, {});
    return signed.flatMap(({ organization, outcome }) => {
      const problem = signingProblems[outcome];
      return problem === undefined ? [] : [`The models of ${organization}: ${problem}`];
    });
  }

  /** The queue's settings, of one organization or (null) of all that have no own ones. */
  async queueSettings(
    organizationId: Id<"organizations"> | null,
  ): Promise<FunctionReturnType<typeof internal.setup.queueSettings>> {
    return this.#run(internal.setup.queueSettings, { organizationId });
  }

  /** Changes some of them; null: the default. Rejects with the deployment's refusal. */
  async setQueueSettings(
    organizationId: Id<"organizations"> | null,
    values: Readonly<Record<string, number | null>>,
  ): Promise<void> {
    await this.#run(internal.setup.setQueueSettings, { organizationId, values });
  }

  /** Checks the whole ledger. */
  async ledgerCheck(): Promise<FunctionReturnType<typeof internal.setup.auditLedger>> {
    return this.#run(internal.setup.auditLedger, {});
  }
}
