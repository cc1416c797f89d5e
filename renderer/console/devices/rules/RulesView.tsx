import { ArrowDown, ArrowUp } from "lucide-react";
import { type ReactNode, useLayoutEffect, useRef } from "react";
import { ruleWords } from "../../../../app/devices/rule-words.ts";
import { Card } from "../../../ui/Card.tsx";
import { Button } from "../../../ui/controls/Button.tsx";
import { RowAction } from "../../../ui/RowAction.tsx";
import { SkeletonRows } from "../../../ui/Skeleton.tsx";
import type { RuleRow } from "../../data/rows.ts";
import { hrefOf } from "../../shell/route.ts";
import { viewOfRule } from "../fleet-filters.ts";

export type RuleChanges = {
  readonly onAdd: () => void;
  readonly onEdit: (rule: RuleRow) => void;
  readonly onRemove: (rule: RuleRow) => void;
  /** Moves a rule to the place of its neighbor. */
  readonly onMove: (rule: RuleRow, by: -1 | 1) => void;
};

type Props = {
  /** Undefined while they load. */
  readonly rules: readonly RuleRow[] | undefined;
  /** Null for those who may only look. */
  readonly changes: RuleChanges | null;
};

/** The rules that put devices into groups, in their order. */
export function RulesView({ rules, changes }: Props): ReactNode {
  return (
    <Card
      title="Groups by rule"
      aside={
        changes === null ? null : (
          <Button size="sm" onClick={changes.onAdd}>
            Add rule…
          </Button>
        )
      }
    >
      <p className="max-w-prose text-muted">
        A device that fits a rule joins its group, now and when it changes. If it fits several, the first one
        counts. A device that somebody put into a group by hand stays there.
      </p>
      {rules === undefined ? <SkeletonRows rows={2} /> : null}
      {rules === undefined || rules.length === 0 ? null : (
        <ol className="mt-2">
          {rules.map((rule, index) => (
            <li
              key={rule.ruleId}
              className="flex flex-wrap items-center gap-x-3 gap-y-1 border-t border-line py-2"
            >
              <span className="w-5 shrink-0 text-right text-xs text-muted tabular-nums">{index + 1}.</span>
              <div className="min-w-0 flex-1 basis-60">
                <a
                  href={hrefOf("devices", undefined, { group: rule.group })}
                  className="font-medium wrap-anywhere hover:underline"
                >
                  {rule.group}
                </a>
                <p className="text-xs wrap-anywhere text-muted first-letter:uppercase">
                  {ruleWords(rule.filter, rule.owner?.name ?? null)}{" "}
                  <a
                    href={hrefOf("devices", undefined, viewOfRule(rule.filter))}
                    className="whitespace-nowrap text-accent underline underline-offset-2"
                  >
                    Show all that fit <span className="sr-only">the rule of {rule.group}</span>
                  </a>
                </p>
              </div>
              {changes === null ? null : (
                <RuleButtons rule={rule} index={index} count={rules.length} changes={changes} />
              )}
            </li>
          ))}
        </ol>
      )}
    </Card>
  );
}

type ButtonsProps = {
  readonly rule: RuleRow;
  readonly index: number;
  readonly count: number;
  readonly changes: RuleChanges;
};

function RuleButtons({ rule, index, count, changes }: ButtonsProps): ReactNode {
  const { onEdit, onRemove, onMove } = changes;
  const place = `of ${rule.group}, ${String(index + 1)}`;
  const box = useRef<HTMLDivElement>(null);
  const up = useRef<HTMLButtonElement>(null);
  const down = useRef<HTMLButtonElement>(null);
  const pressed = useRef<-1 | 1 | null>(null);
  const move = (by: -1 | 1): void => {
    pressed.current = by;
    onMove(rule, by);
  };
  useLayoutEffect(() => {
    const by = pressed.current;
    pressed.current = null;
    // The moved row has lost the focus. Somebody who went on meanwhile keeps theirs.
    const focused = document.activeElement;
    if (by === null || (focused !== document.body && box.current?.contains(focused) !== true)) return;
    const [same, other] = by === -1 ? [up, down] : [down, up];
    (same.current?.disabled === true ? other : same).current?.focus();
  }, [index]);
  return (
    <div ref={box} className="flex items-center gap-1">
      <Button
        ref={up}
        size="sm"
        look="quiet"
        aria-label={`Move the rule ${place} up`}
        disabled={index === 0}
        onClick={() => move(-1)}
      >
        <ArrowUp size={14} aria-hidden />
      </Button>
      <Button
        ref={down}
        size="sm"
        look="quiet"
        aria-label={`Move the rule ${place} down`}
        disabled={index === count - 1}
        onClick={() => move(1)}
      >
        <ArrowDown size={14} aria-hidden />
      </Button>
      <RowAction verb="Edit" object={`the rule ${place}`} onClick={() => onEdit(rule)} />
      <RowAction verb="Remove" object={`the rule ${place}`} onClick={() => onRemove(rule)} />
    </div>
  );
}
