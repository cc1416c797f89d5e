import type { ReactNode } from "react";
import { formatBytes, formatCount, plural } from "../../../app/format/quantity.ts";
import { Checkbox } from "../../ui/controls/Checkbox.tsx";
import { Field } from "../../ui/controls/Field.tsx";
import { Select } from "../../ui/controls/Select.tsx";
import { devicesByStage, parseRollout, type RolloutForm } from "./rollout-form.ts";

type Props = {
  readonly form: RolloutForm;
  readonly onChange: (form: RolloutForm) => void;
  /** Devices in service. Null while they are counted. */
  readonly devices: number | null;
  /** Null before the model's size is known. */
  readonly sizeBytes: number | null;
};

/** Whether a new model goes to all devices at once or in stages. */
export function RolloutChoice(props: Props): ReactNode {
  const { form, onChange, devices, sizeBytes } = props;
  return (
    <div className="grid gap-3 rounded-md border border-line p-3">
      <Select
        label="Roll-out"
        value={form.inStages ? "stages" : "once"}
        options={[
          { value: "once", label: "To all devices at once" },
          { value: "stages", label: "In stages" },
        ]}
        onChange={(value) => onChange({ ...form, inStages: value === "stages" })}
      />
      {form.inStages ? (
        <RolloutFields {...props} />
      ) : devices === null ? null : (
        <p role="status" className="text-xs text-muted">
          {onceWords(devices, sizeBytes)}
        </p>
      )}
    </div>
  );
}

function onceWords(devices: number, sizeBytes: number | null): string {
  if (devices === 0) return "There are no devices yet. Each downloads the model when it joins.";
  const size = sizeBytes === null ? "the model" : formatBytes(sizeBytes);
  return plural(devices, [
    `This will ask # device to download ${size}.`,
    `This will ask # devices to download ${size} each.`,
  ]);
}

/** The stages of a roll-out, and how it goes on from one to the next. */
export function RolloutFields({ form, onChange, devices, sizeBytes }: Props): ReactNode {
  const parsed = parseRollout({ ...form, inStages: true });
  const errorOf = (field: "sizes" | "pace"): string | null =>
    parsed.kind === "wrong" && parsed.field === field ? parsed.why : null;
  const input = (
    field: "minMinutes" | "readyPercent" | "failedPercent",
    label: string,
    unit: string,
  ): ReactNode => (
    <Field
      label={label}
      unit={unit}
      inputMode="numeric"
      value={form[field]}
      onChange={(event) => onChange({ ...form, [field]: event.target.value })}
    />
  );
  const paceError = errorOf("pace");
  return (
    <div className="grid gap-3">
      <Field
        label="Stages"
        hint="Numbers of devices, then percents of all devices."
        value={form.sizes}
        error={errorOf("sizes")}
        onChange={(event) => onChange({ ...form, sizes: event.target.value })}
      />
      <div className="grid items-end gap-3 sm:grid-cols-3">
        {input("minMinutes", "A stage lasts at least", "min")}
        {input("readyPercent", "Go on when ready", "%")}
        {input("failedPercent", "Stop if more failed", "%")}
      </div>
      {paceError === null ? null : (
        <p role="alert" className="text-xs text-bad">
          {paceError}
        </p>
      )}
      <Checkbox
        label="Somebody begins each stage by hand"
        hint="Without this, the next stage begins by itself when a stage is healthy. Too many failures stop it in any case."
        checked={form.byHand}
        onChange={(byHand) => onChange({ ...form, byHand })}
      />
      {parsed.kind === "wrong" || parsed.rollout === null || devices === null ? null : (
        <p role="status" className="text-xs text-muted">
          {fleetWords(devicesByStage(parsed.rollout.sizes, devices), sizeBytes)}
        </p>
      )}
    </div>
  );
}

/** The stages in numbers: "First, 1 device downloads 4.9 GB. The stages after it have 5, 21, 41 devices in all." */
function fleetWords(stages: readonly number[], sizeBytes: number | null): string {
  const [first = 0, ...others] = stages;
  if (stages.at(-1) === 0) return "There are no devices yet. Each stage begins when devices join.";
  const size = sizeBytes === null ? "the model" : formatBytes(sizeBytes);
  const later = others.map(formatCount).join(", ");
  const begin = plural(first, [
    `First, # device downloads ${size}.`,
    `First, # devices download ${size} each.`,
  ]);
  return `${begin} The stages after it have ${later} devices in all.`;
}
