import { useQuery } from "convex/react";
import { type ReactNode, useState } from "react";
import { api } from "../../../../convex/_generated/api.js";
import { Confirm } from "../../../ui/overlays/Confirm.tsx";
import type { RuleRow } from "../../data/rows.ts";
import { useAct, useScope, useSession } from "../../data/session-context.ts";
import { OwnerPicker } from "../../owners/OwnerPicker.tsx";
import { useRoute } from "../../shell/route.ts";
import { filtersIn, ruleFilterOf } from "../fleet-filters.ts";
import { formOf } from "./rule-form.ts";
import { RuleDialog } from "./RuleDialog.tsx";
import { RulePreviewWords } from "./RulePreviewWords.tsx";
import { RulesView } from "./RulesView.tsx";
import { type RuleDraft, useRulePreview } from "./useRulePreview.ts";

type RuleId = RuleRow["ruleId"];

type Opened = { readonly kind: "add" } | { readonly kind: "edit" | "remove"; readonly rule: RuleRow };

/** The organization's rules of groups. Each change shows a preview before, and can be undone. */
export function GroupRules(): ReactNode {
  const rules = useQuery(api.console.fleet.groupRules.list, { session: useSession() });
  const mayChange = useScope("devices.change") !== null;
  const [opened, setOpened] = useState<Opened | null>(null);
  const { add, change, remove, order } = useRuleActs(rules ?? []);
  const shown = ruleFilterOf(filtersIn(useRoute().filters));
  const close = (): void => setOpened(null);
  return (
    <>
      <RulesView
        rules={rules}
        changes={
          mayChange
            ? {
                onAdd: () => setOpened({ kind: "add" }),
                onEdit: (rule) => setOpened({ kind: "edit", rule }),
                onRemove: (rule) => setOpened({ kind: "remove", rule }),
                onMove: order,
              }
            : null
        }
      />
      {opened === null ? null : opened.kind === "remove" ? (
        <Confirm
          title={`Remove the rule of ${opened.rule.group}?`}
          action="Remove"
          onConfirm={() => remove(opened.rule)}
          onClose={close}
        >
          Its devices leave the group, unless another rule puts them there.
          <Preview ruleId={opened.rule.ruleId} draft={null} />
        </Confirm>
      ) : (
        <RuleDialog
          title={opened.kind === "add" ? "Add a rule" : `Change the rule of ${opened.rule.group}`}
          // A new rule begins with the conditions that the page filters by.
          initial={formOf(opened.kind === "add" ? { group: "", filter: shown } : opened.rule)}
          ownerPicker={(value, onChange) => (
            <OwnerPicker label="Owner" value={value ?? null} nobody="Anybody" onChange={onChange} />
          )}
          preview={(draft) => (
            <Preview ruleId={opened.kind === "add" ? null : opened.rule.ruleId} draft={draft} />
          )}
          onSave={(draft) => (opened.kind === "add" ? add(draft) : change(opened.rule, draft))}
          onClose={close}
        />
      )}
    </>
  );
}

type PreviewProps = { readonly ruleId: RuleId | null; readonly draft: RuleDraft | null | undefined };

function Preview({ ruleId, draft }: PreviewProps): ReactNode {
  return <RulePreviewWords preview={useRulePreview(ruleId, draft)} />;
}

function useRuleActs(rules: readonly RuleRow[]) {
  const addRule = useAct(api.console.fleet.groupRules.add);
  const changeRule = useAct(api.console.fleet.groupRules.change);
  const removeRule = useAct(api.console.fleet.groupRules.remove);
  const orderRules = useAct(api.console.fleet.groupRules.order);
  return {
    add: (draft: RuleDraft) =>
      addRule(draft, (ruleId) => ({
        words: `The rule of ${draft.group} was added.`,
        undo: () => void removeRule({ ruleId }, "The rule was removed again."),
      })),
    change: ({ ruleId }: RuleRow, draft: RuleDraft) =>
      changeRule({ ruleId, ...draft }, (before) => ({
        words: `The rule of ${draft.group} was changed.`,
        undo: () => void changeRule({ ruleId, ...before }, "The rule is as before."),
      })),
    remove: ({ ruleId, group, filter }: RuleRow): void =>
      void removeRule({ ruleId }, (at) => ({
        words: `The rule of ${group} was removed.`,
        undo: () => void addRule({ group, filter, at }, "The rule is back."),
      })),
    order: ({ ruleId }: RuleRow, by: -1 | 1): void => {
      const before = rules.map((rule) => rule.ruleId);
      const from = before.indexOf(ruleId);
      const after = before.filter((id) => id !== ruleId);
      after.splice(from + by, 0, ruleId);
      void orderRules({ ruleIds: after }, () => ({
        words: "The order was changed.",
        undo: () => void orderRules({ ruleIds: before }, "The order is as before."),
      }));
    },
  };
}
