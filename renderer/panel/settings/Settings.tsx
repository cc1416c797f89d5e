import type { ReactNode } from "react";
import type { Rules } from "../../../app/policy/rules.ts";
import { Card } from "../../ui/Card.tsx";
import { Select } from "../../ui/Select.tsx";
import { Switch } from "../../ui/Switch.tsx";
import { useAct } from "../state/actions.ts";
import { batteryChoices, idleChoices, idleWords, loadChoices, optionsFor } from "./setting-options.ts";

/** The donor's own rules. Each change takes effect at once; there is nothing to save. */
export function Settings({ rules }: { readonly rules: Rules }): ReactNode {
  const act = useAct();
  const loadPercent = Math.round(rules.maxOtherCpuLoad * 100);
  return (
    <Card title="When this computer donates">
      <div className="grid gap-4">
        <Select
          row
          label="Idle after"
          hint={
            rules.requireIdle
              ? "No keyboard or mouse for this long."
              : "Not asked for: nobody sits at this machine."
          }
          disabled={!rules.requireIdle}
          value={rules.idleAfterSeconds.toString()}
          options={optionsFor(idleChoices, rules.idleAfterSeconds, idleWords)}
          onChange={(value) => act("setRules", { idleAfterSeconds: Number(value) })}
        />
        <div className="flex items-center justify-between gap-4">
          <div>
            <p className="font-medium">Donate on battery</p>
            <p className="text-xs text-muted">Off: only while plugged in.</p>
          </div>
          <Switch
            label="Donate on battery"
            checked={rules.allowOnBattery}
            onChange={(allowOnBattery) => act("setRules", { allowOnBattery })}
          />
        </div>
        <Select
          row
          label="Keep at least"
          hint="Of the battery, while on battery."
          disabled={!rules.allowOnBattery}
          value={rules.batteryFloorPercent.toString()}
          options={optionsFor(batteryChoices, rules.batteryFloorPercent, (percent) => `${percent} %`)}
          onChange={(value) => act("setRules", { batteryFloorPercent: Number(value) })}
        />
        <Select
          row
          label="Hold while others use"
          hint="Of the processor, all cores together."
          value={loadPercent.toString()}
          options={optionsFor(loadChoices, loadPercent, (percent) => `over ${percent} %`)}
          onChange={(value) => act("setRules", { maxOtherCpuLoad: Number(value) / 100 })}
        />
      </div>
    </Card>
  );
}
