import * as z from "zod";
import {
  type EffectiveRules,
  effectiveRules,
  noOrganizationRules,
  type OrganizationRules,
  type SomeRules,
} from "../../app/policy/rule-layers.ts";
import { readOrganizationRules } from "../../app/policy/rule-schemas.ts";
import type { Rules } from "../../app/policy/rules.ts";
import { errorName, type Log } from "../log.ts";
import { loadJson, saveJson } from "../store/json-file.ts";
import { SerialWrites } from "../store/serial-writes.ts";

export type DonorPolicy = {
  /** The effective rules of all layers. The same object until something changes. */
  readonly current: () => EffectiveRules;
  /** The rules that would be effective under other rules of the organization. */
  readonly under: (rules: OrganizationRules) => Rules;
  /** Sets the organization's rules. They also apply after a restart without a connection. */
  readonly organizationSays: (rules: OrganizationRules) => void;
  /** Resolves when the last rules are on disk. Later ones are not stored. */
  readonly close: () => Promise<void>;
};

type DonorPolicyDeps = {
  /** The file that stores the organization's rules. */
  readonly path: string;
  /** The defaults of this start. */
  readonly base: Rules;
  /** The donor's own rules. */
  readonly own: () => SomeRules;
  /** The rules that the management of this computer sets. */
  readonly managed: OrganizationRules;
  readonly log: Log;
};

/** A file may contain rules of another version. The reader skips unknown rules. */
const rememberedFile = z.object({
  version: z.literal(1),
  values: z.record(z.string(), z.unknown()),
  locked: z.array(z.string()),
});

/** Moves an unreadable file aside. The backend sends the rules again at the next connection. */
export async function openPolicy({ path, base, own, managed, log }: DonorPolicyDeps): Promise<DonorPolicy> {
  const loaded = await loadJson(path, rememberedFile);
  if (loaded.kind === "corrupt") log("error", "policy.corrupt", { movedTo: loaded.movedTo });
  let organization = loaded.kind === "loaded" ? readOrganizationRules(loaded.value) : noOrganizationRules;
  const writes = new SerialWrites();
  let made: { readonly donor: SomeRules; readonly effective: EffectiveRules } | null = null;
  return {
    current: () => {
      const donor = own();
      if (made?.donor !== donor)
        made = { donor, effective: effectiveRules({ base, donor, organization, managed }) };
      return made.effective;
    },
    under: (rules) => effectiveRules({ base, donor: own(), organization: rules, managed }).rules,
    organizationSays: (rules) => {
      if (JSON.stringify(rules) === JSON.stringify(organization)) return;
      organization = rules;
      made = null;
      writes
        .run(() => saveJson(path, { version: 1, ...rules }))
        .catch((error: unknown) => log("error", "policy.not-saved", { error: errorName(error) }));
    },
    close: () => writes.close(),
  };
}
