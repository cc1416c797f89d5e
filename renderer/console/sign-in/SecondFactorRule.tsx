import { useQuery } from "convex/react";
import { type ReactNode, useState } from "react";
import {
  type SecondFactorRule,
  secondFactorRules,
  secondFactorRuleWords,
} from "../../../app/people/second-factor.ts";
import { api } from "../../../convex/_generated/api.js";
import { Card } from "../../ui/Card.tsx";
import { Button } from "../../ui/controls/Button.tsx";
import { Form } from "../../ui/controls/Form.tsx";
import { Select } from "../../ui/controls/Select.tsx";
import { useAct, useScope, useSession } from "../data/session-context.ts";

/** The card with the organization's rule for second factors. */
export function SecondFactorRuleCard(): ReactNode {
  const session = useSession();
  const rule = useQuery(api.console.access.secondFactor.rule, { session });
  const set = useAct(api.console.access.secondFactor.setRule);
  const mayChange = useScope("sign-in.change") !== null;
  if (rule === undefined) return null;
  const onSet = (chosen: SecondFactorRule): void =>
    void set({ rule: chosen }, "The second factor was saved.");
  return <SecondFactorRuleView key={rule} rule={rule} onSet={mayChange ? onSet : null} />;
}

type ViewProps = {
  readonly rule: SecondFactorRule;
  /** Null for those who only read. */
  readonly onSet: ((rule: SecondFactorRule) => void) | null;
};

export function SecondFactorRuleView({ rule, onSet }: ViewProps): ReactNode {
  const [chosen, setChosen] = useState(rule);
  const options = secondFactorRules.map((value) => ({ value, label: secondFactorRuleWords(value) }));
  const label = "Must have a second factor";
  return (
    <Card title="Second factor">
      <p className="mb-3 text-muted">
        Members without one can do nothing else until they set it up. The provider of single sign-on asks for
        its own, so the second choice does not ask these members again.
      </p>
      {onSet === null ? (
        <p>
          {label}: {secondFactorRuleWords(rule)}
        </p>
      ) : (
        <Form className="flex flex-wrap items-end gap-3" onSubmit={() => onSet(chosen)}>
          <Select
            label={label}
            value={chosen}
            options={options}
            onChange={(value) => setChosen(secondFactorRules.find((each) => each === value) ?? rule)}
          />
          <Button type="submit" disabled={chosen === rule}>
            Save
          </Button>
        </Form>
      )}
    </Card>
  );
}
