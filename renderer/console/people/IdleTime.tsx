import { type ReactNode, useState } from "react";
import { spellSeconds } from "../../../app/format/time.ts";
import { idleMinutes } from "../../../app/people/idle.ts";
import { Card } from "../../ui/Card.tsx";
import { Button } from "../../ui/controls/Button.tsx";
import { Form } from "../../ui/controls/Form.tsx";
import { Select } from "../../ui/controls/Select.tsx";

type Props = {
  readonly minutes: number;
  /** Null for those who only read. */
  readonly onSet: ((minutes: number) => void) | null;
};

const offered = [idleMinutes.least, 60, 4 * 60, idleMinutes.usual, 24 * 60, idleMinutes.most];

/** After how long without use a session ends. */
export function IdleTime({ minutes, onSet }: Props): ReactNode {
  const [chosen, setChosen] = useState(String(minutes));
  const options = [...new Set([...offered, minutes])].sort((a, b) => a - b);
  return (
    <Card title="Sessions">
      {onSet === null ? (
        <p className="text-muted">A session that nobody uses ends after {minutesWords(minutes)}.</p>
      ) : (
        <Form className="flex flex-wrap items-end gap-3" onSubmit={() => onSet(Number(chosen))}>
          <Select
            label="A session that nobody uses ends after"
            value={chosen}
            options={options.map((one) => ({ value: String(one), label: minutesWords(one) }))}
            onChange={setChosen}
          />
          <Button type="submit" disabled={chosen === String(minutes)}>
            Save
          </Button>
        </Form>
      )}
    </Card>
  );
}

const minutesWords = (minutes: number): string => spellSeconds(minutes * 60);
