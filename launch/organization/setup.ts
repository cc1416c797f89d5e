import { ConvexHttpClient } from "convex/browser";
import type { FunctionArgs, FunctionReference, FunctionReturnType } from "convex/server";
import type { ModelManifest } from "../../app/contract/model-manifest.ts";
import { internal } from "../../convex/_generated/api.js";
import type { Id } from "../../convex/_generated/dataModel.js";
import type { Backend } from "../backend/backend.ts";
import { hashSecret, makeEnrolmentCode, makeSecret } from "./secrets.ts";

/** The demo model's price in micro-credits per token. */
const demoPrice = { promptMicro: 20n, completionMicro: 100n };

/** What the first requester may spend: 100 credits. */
const firstCreditsMicro = 100_000_000n;

export type FirstOrganization = {
  readonly organizationId: Id<"organizations">;
  readonly apiKey: string;
  readonly enrolmentCode: string;
  readonly signInToken: string;
};

/** What Convex's own CLI calls on the client, and its published types leave out. */
type AdminClient = {
  setAdminAuth(key: string): void;
  function(reference: unknown, componentPath: undefined, args: unknown): Promise<unknown>;
};

/** Calls the deployment's internal setup functions, as `npx convex run` does: with the admin key. */
export class Setup {
  readonly #client: AdminClient;

  constructor(backend: Pick<Backend, "url" | "adminKey">) {
    this.#client = new ConvexHttpClient(backend.url, { logger: false }) as unknown as AdminClient;
    this.#client.setAdminAuth(backend.adminKey);
  }

  async #run<F extends FunctionReference<"query" | "mutation" | "action", "internal">>(
    reference: F,
    args: FunctionArgs<F>,
  ): Promise<FunctionReturnType<F>> {
    return this.#client.function(reference, undefined, args);
  }

  /** The organizations that exist already: setup resumes where an earlier one was cut off. */
  async organizations(): Promise<readonly { readonly id: Id<"organizations">; readonly name: string }[]> {
    return (await this.#run(internal.setup.status, {})).organizations;
  }

  async createOrganization(name: string, model: ModelManifest): Promise<FirstOrganization> {
    const secrets = makeFirstSecrets();
    const { organizationId } = await this.#run(internal.setup.createOrganization, {
      name,
      signInTokenHash: hashSecret(secrets.signInToken),
      apiKeyHash: hashSecret(secrets.apiKey),
      apiKeyName: "First requester",
      apiKeyPrefix: displayPrefix(secrets.apiKey),
      enrolmentCodeHash: hashSecret(secrets.enrolmentCode),
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
    return { organizationId, ...secrets };
  }

  /** Another one-time sign-in link for the organization's admin. */
  async makeSignInToken(organizationId: Id<"organizations">): Promise<string> {
    const token = makeSecret("gs_");
    await this.#run(internal.setup.signInLink, {
      organizationId,
      tokenHash: hashSecret(token),
    });
    return token;
  }

  async issueKey(organizationId: Id<"organizations">, name: string): Promise<string> {
    const apiKey = makeSecret("sk-gleaner-");
    await this.#run(internal.setup.issueKey, {
      organizationId,
      name,
      keyHash: hashSecret(apiKey),
      prefix: displayPrefix(apiKey),
      creditsMicro: firstCreditsMicro,
    });
    return apiKey;
  }

  async issueEnrolmentCode(organizationId: Id<"organizations">, label: string): Promise<string> {
    const code = makeEnrolmentCode();
    await this.#run(internal.setup.issueEnrolmentCode, {
      organizationId,
      codeHash: hashSecret(code),
      label,
      uses: 1,
      expiresInHours: 24,
    });
    return code;
  }

  /** Audits the whole ledger, page by page. */
  async ledgerCheck(): Promise<FunctionReturnType<typeof internal.setup.auditLedger>> {
    return this.#run(internal.setup.auditLedger, {});
  }
}

function makeFirstSecrets(): Omit<FirstOrganization, "organizationId"> {
  return {
    apiKey: makeSecret("sk-gleaner-"),
    enrolmentCode: makeEnrolmentCode(),
    signInToken: makeSecret("gs_"),
  };
}

/** Enough of a key to recognize it in a list, far too little to use it. */
function displayPrefix(apiKey: string): string {
  return apiKey.slice(0, "sk-gleaner-".length + 4);
}
