import { z } from "zod";
import { readOrganizationRules } from "../../app/policy/read-rules.ts";
import {
  type EffectiveRules,
  effectiveRules,
  noOrganizationRules,
  type OrganizationRules,
  type SomeRules,
} from "../../app/policy/rule-layers.ts";
import type { Rules } from "../../app/policy/rules.ts";
import { errorName, type Log } from "../log.ts";
import { loadJson, saveJson } from "../store/json-file.ts";

export type DonorPolicy = {
  /** The three layers put together, as they are now. The same object as long as nothing changes. */
  readonly current: () => EffectiveRules;
  /** The organization's rules from now on, also after a restart without a connection: a lock outlasts both. */
  readonly organizationSays: (rules: OrganizationRules) => void;
};

export type DonorPolicyParts = {
  /** The file in which the organization's rules are remembered. */
  readonly path: string;
  /** This start's defaults. */
  readonly base: Rules;
  /** The donor's own rules. */
  readonly own: () => SomeRules;
  readonly log: Log;
};

/** A file with rules of another version: what is not understood of it is left out by the reader. */
const rememberedFile = z.object({
  version: z.literal(1),
  values: z.record(z.string(), z.unknown()),
  locked: z.array(z.string()),
});

/** A file that cannot be understood is set aside: the backend says the same again at the next connection. */
export async function openPolicy({ path, base, own, log }: DonorPolicyParts): Promise<DonorPolicy> {
  const loaded = await loadJson(path, rememberedFile);
  if (loaded.kind === "corrupt") log("error", "policy.corrupt", { movedTo: loaded.movedTo });
  let organization = loaded.kind === "loaded" ? readOrganizationRules(loaded.value) : noOrganizationRules;
  let writing: Promise<void> = Promise.resolve();
  let made: { readonly donor: SomeRules; readonly effective: EffectiveRules } | null = null;
  return {
    current: () => {
      const donor = own();
      if (made?.donor !== donor) made = { donor, effective: effectiveRules({ base, donor, organization }) };
      return made.effective;
    },
    organizationSays: (rules) => {
      if (JSON.stringify(rules) === JSON.stringify(organization)) return;
      organization = rules;
      made = null;
      writing = writing
        .then(() => saveJson(path, { version: 1, ...rules }))
        .catch((error: unknown) => log("error", "policy.not-saved", { error: errorName(error) }));
    },
  };
}
