import fc from "fast-check";
import * as z from "zod";
import type { Farm } from "../../../launch/farm/farm.ts";
import { makeSecret } from "../../../launch/organization/secrets.ts";
import { checkHealth, checkLedger } from "../backend.ts";
import { fitting, validator } from "../from-validator.ts";
import { spoiled } from "../hostile.ts";
import type { Json, Target } from "../target.ts";
import { within } from "../within.ts";

const spec = z.array(
  z.object({
    identifier: z.string().optional(),
    functionType: z.string(),
    visibility: z.object({ kind: z.string() }).optional(),
    args: validator.nullish(),
  }),
);

/** It would end the session with which the others are called. */
const endsSession = "console/account:signOut";

const kinds: Readonly<Record<string, string>> = { Query: "query", Mutation: "mutation", Action: "action" };

const answer = z.object({
  status: z.string(),
  value: z.unknown().optional(),
  errorMessage: z.string().optional(),
  errorData: z.unknown().optional(),
});

/** Every public function, called with valid keys of a device, a requester and an admin, and hostile arguments. */
export const publicFunctions: Target = {
  name: "public-functions",
  summary: "every public function: devices' calls, the console's, the requesters'",
  open: async (farmOf) => {
    const farm = await farmOf();
    const secrets = await farmSecrets(farm);
    const plausible = {
      texts: [...Object.keys(secrets), "«device»", "«session»", ""],
      ids: Object.keys(secrets),
    };
    const calls = (await publicCalls(farm)).map(([path, kind, args]) => {
      const fits = fitting(args, plausible);
      return fc
        .oneof({ weight: 4, arbitrary: fits }, { weight: 1, arbitrary: spoiled(fits) })
        .map((each): Json => ({ path, kind, args: each }));
    });
    return {
      inputs: fc.oneof(...calls),
      known: [
        call("devices:history", "query", {
          key: "«device»",
          paginationOpts: { numItems: 0, cursor: "no list" },
        }),
        call("console/jobs:list", "query", {
          session: "«session»",
          paginationOpts: { numItems: 0, cursor: "" },
        }),
        call("console/audit:list", "query", {
          session: "«session»",
          paginationOpts: { numItems: 1, cursor: null, maximumBytesRead: 0 },
        }),
      ],
      check: async (input) => {
        const { path, kind, args } = input as {
          readonly path: string;
          readonly kind: string;
          readonly args: Json;
        };
        checkAnswer(await within(path, callFunction(farm, kind, path, filledIn(args, secrets))));
        await checkHealth(farm);
      },
      checkEnd: () => checkLedger(farm),
      close: () => Promise.resolve(),
    };
  },
};

/** The path, kind and validator of each public function. */
async function publicCalls(farm: Farm): Promise<[string, string, z.infer<typeof validator>][]> {
  const { value } = await callFunction(
    farm,
    "query",
    "_system/cli/modules:apiSpec",
    {},
    farm.backend.adminKey,
  );
  return spec.parse(value).flatMap(({ identifier = "", functionType, visibility, args }) => {
    const path = identifier.replace(".js:", ":");
    const kind = kinds[functionType];
    if (visibility?.kind !== "public" || kind === undefined || args == null || path === endsSession)
      return [];
    return [[path, kind, args]];
  });
}

function call(path: string, kind: string, args: Json): Json {
  return { path, kind, args };
}

/** Secrets and ids of the farm by their names in inputs: a kept input must make sense on every farm. */
type Secrets = { readonly [placeholder: string]: string };

async function farmSecrets(farm: Farm): Promise<Secrets> {
  const { organization, setup } = farm;
  const key = makeSecret("gd_");
  const session = makeSecret("gs_");
  const code = await setup.issueEnrollmentCode(organization.organizationId, "fuzz");
  const asked = { code, key, name: "fuzz", platform: "linux" };
  const enrolled = await callFunction(farm, "mutation", "devices:enroll", asked);
  const token = await setup.makeSignInToken(organization.organizationId);
  await callFunction(farm, "mutation", "console/account:signIn", { token, session });
  const { deviceId } = z.object({ deviceId: z.string() }).parse(enrolled.value);
  return {
    "«device»": key,
    "«session»": session,
    "«api key»": organization.apiKey,
    "«model»": farm.modelId,
    "«device id»": deviceId,
    "«organization id»": organization.organizationId,
  };
}

function filledIn(value: Json, secrets: Secrets): Json {
  if (typeof value === "string") return secrets[value] ?? value;
  if (value === null || typeof value !== "object") return value;
  if (Array.isArray(value)) return value.map((inner: Json) => filledIn(inner, secrets));
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, filledIn(inner, secrets)]));
}

async function callFunction(
  { backend }: Farm,
  kind: string,
  path: string,
  args: Json,
  adminKey?: string,
): Promise<z.infer<typeof answer>> {
  const response = await fetch(`${backend.url}/api/${kind}`, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      ...(adminKey === undefined ? {} : { authorization: `Convex ${adminKey}` }),
    },
    body: JSON.stringify({ path, args, format: "convex_encoded_json" }),
  });
  const text = await response.text();
  if (response.status >= 400 && response.status < 500)
    return { status: "refused", value: null, errorData: text };
  return answer.parse(JSON.parse(text));
}

/** A refusal has data for its caller. Any other error is a fault of the function, unless Convex itself refused a value. */
function checkAnswer({ status, errorMessage = "", errorData }: z.infer<typeof answer>): void {
  if (status !== "error" || errorData !== undefined) return;
  if (
    /ArgumentValidationError|InvalidCursor|not a supported Convex type|\nInvalid arguments for /.test(
      errorMessage,
    )
  )
    return;
  throw new Error(`failed without a reason for its caller: ${errorMessage}`);
}
