import type { ReactNode } from "react";
import { type RuleSection, ruleSections } from "../../../app/policy/declare/rule.ts";
import type { EffectiveRules, OrganizationRules } from "../../../app/policy/rule-layers.ts";
import { type RuleName, ruleNames, ruleOf } from "../../../app/policy/rules.ts";
import { Card } from "../../ui/Card.tsx";
import { Button } from "../../ui/controls/Button.tsx";
import { Select } from "../../ui/controls/Select.tsx";
import type { PolicyVersion } from "../data/rows.ts";
import {
  changesOf,
  type Draft,
  type Inherited,
  problemsOf,
  rulesOnDevice,
  shownRule,
  withLock,
  without,
  withValue,
} from "./policy-draft.ts";
import { RuleRow } from "./RuleRow.tsx";
import { SaveBar } from "./SaveBar.tsx";
import { Versions } from "./Versions.tsx";

type Props = {
  /** "" means all devices. */
  readonly group: string;
  readonly groups: readonly string[];
  readonly saved: OrganizationRules;
  readonly inherited: Inherited;
  readonly versions: readonly PolicyVersion[];
  readonly draft: Draft;
  readonly error: string | null;
  readonly isOutdated: boolean;
  readonly busy: boolean;
  /** False for those who may only read the rules. */
  readonly mayChange: boolean;
  readonly onGroup: (group: string) => void;
  readonly onDraft: (draft: Draft) => void;
  readonly onSave: () => void;
  readonly onDiscard: () => void;
  readonly onRestore: (version: number) => void;
};

const columns: readonly (readonly RuleSection[])[] = [
  ["when", "gives", "power"],
  ["others", "network", "models", "membership"],
];

/** Every rule that an administrator can set for devices, and the earlier versions. */
export function PolicyView(props: Props): ReactNode {
  const { group, groups, saved, draft, versions, error, isOutdated, busy, mayChange } = props;
  const problems = problemsOf(draft);
  const changes = changesOf(saved, draft);
  const isClean = changes.length === 0;
  const effective = rulesOnDevice(draft, props.inherited);
  return (
    <>
      <Card>
        <div className="flex flex-wrap items-end gap-4">
          <div className="w-72 max-w-full">
            <Select
              label="Rules for"
              hint="A group's rules override those of all devices."
              value={group}
              options={[
                { value: "", label: "All devices" },
                ...groups.map((name) => ({ value: name, label: `Group ${name}` })),
              ]}
              onChange={props.onGroup}
            />
          </div>
          <p className="max-w-2xl flex-1 text-xs text-muted">
            {mayChange
              ? "Donors can change the rules that you set, but not those that you lock. A donor's own pause overrides every rule."
              : "Owners and administrators set these rules. Donors can change those without a lock. A donor's own pause overrides every rule."}
          </p>
          {mayChange ? (
            <Button
              className="ml-auto"
              disabled={!isClean || versions.length === 0 || busy}
              onClick={() => props.onRestore(versions[1]?.version ?? 0)}
            >
              Undo last save
            </Button>
          ) : null}
        </div>
      </Card>
      <section aria-label="Rules" className="grid grid-cols-1 items-start gap-4 2xl:grid-cols-2">
        {columns.map((sections) => (
          <div key={sections.join()} className="grid grid-cols-1 gap-4">
            {sections.map((section) => (
              <Card key={section} flush title={ruleSections[section]}>
                {ruleNamesOf(section).map((name) => (
                  <Rule
                    key={`${group} ${name}`}
                    name={name}
                    effective={effective}
                    problem={problems.get(name) ?? null}
                    {...props}
                  />
                ))}
              </Card>
            ))}
          </div>
        ))}
      </section>
      <SaveBar
        changes={changes}
        problems={problems.size}
        error={error}
        isOutdated={isOutdated && !isClean}
        busy={busy}
        onSave={props.onSave}
        onDiscard={props.onDiscard}
      />
      <Versions
        versions={versions}
        canRestore={isClean && !busy}
        onRestore={mayChange ? props.onRestore : null}
      />
    </>
  );
}

type RuleProps = Pick<Props, "draft" | "inherited" | "group" | "mayChange" | "onDraft"> & {
  readonly name: RuleName;
  readonly effective: EffectiveRules;
  readonly problem: string | null;
};

function Rule({ name, effective, problem, ...props }: RuleProps): ReactNode {
  const { draft, inherited, group, mayChange, onDraft } = props;
  const shown = shownRule(draft, inherited, name);
  const here = { value: effective.rules[name], locked: effective.locked.includes(name) };
  return (
    <RuleRow
      name={name}
      shown={shown.isSet ? shown : { ...shown, ...here }}
      effective={here}
      problem={problem}
      inheritedFrom={group === "" ? "Default" : "Organization"}
      change={
        mayChange
          ? {
              onValue: (value) => onDraft(withValue(draft, name, value, inherited)),
              onLock: (locked) => onDraft(withLock(draft, name, locked, inherited)),
              onClear: () => onDraft(without(draft, name)),
            }
          : null
      }
    />
  );
}

function ruleNamesOf(section: RuleSection): readonly RuleName[] {
  return ruleNames.filter((name) => ruleOf(name).section === section);
}
