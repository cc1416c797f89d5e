import { type ReactNode, useState } from "react";
import { type RuleName, ruleOf } from "../../../app/policy/rules.ts";
import { problemOf } from "../../rules/rule-problems.ts";
import { RuleControl } from "../../rules/RuleControl.tsx";
import { Button } from "../../ui/controls/Button.tsx";
import { Form } from "../../ui/controls/Form.tsx";

type Props = {
  readonly name: RuleName;
  readonly value: unknown;
  readonly describedBy: string;
  readonly onSet: (value: unknown) => void;
  readonly onClose: () => void;
};

/** Edits rules that have several parts or hold names. Changes apply only when they are submitted. */
export function RuleEditor({ name, value, describedBy, onSet, onClose }: Props): ReactNode {
  const [draft, setDraft] = useState(value);
  const problem = problemOf(name, draft);
  return (
    <Form
      className="grid w-full gap-2.5 rounded-md bg-sunken p-3"
      onSubmit={() => {
        if (problem !== null) return;
        onSet(draft);
        onClose();
      }}
    >
      <RuleControl
        name={name}
        label={ruleOf(name).title}
        value={draft}
        invalid={problem !== null}
        describedBy={describedBy}
        onChange={setDraft}
      />
      {problem === null ? null : (
        <p role="alert" className="text-xs text-bad">
          {problem}
        </p>
      )}
      <div className="flex gap-2">
        <Button type="submit" size="sm" look="primary" disabled={problem !== null}>
          Save
        </Button>
        <Button size="sm" onClick={onClose}>
          Cancel
        </Button>
      </div>
    </Form>
  );
}
