import type { ReactNode } from "react";
import type { IdleLimits, InUseLimits } from "../../app/policy/rules/limits.ts";
import { SelectBox } from "../ui/controls/Select.tsx";
import { Switch } from "../ui/controls/Switch.tsx";
import { NumberControl } from "./NumberControl.tsx";
import { problemOf } from "./rule-problems.ts";

type IdleProps = {
  readonly label: string;
  readonly value: IdleLimits;
  readonly onChange: (value: IdleLimits) => void;
};

/** Limits on threads, GPU and memory while the computer is idle. */
export function IdleControl({ label, value, onChange }: IdleProps): ReactNode {
  const { threads, gpu, memoryMb } = value;
  return (
    <div className="grid gap-2">
      <NumberControl
        label={`${label}: threads`}
        unit="threads"
        none="All cores but one"
        value={threads}
        invalid={problemOf("idle", { ...value, memoryMb: null }) !== null}
        // A new limit starts at one thread, which any machine has.
        onChange={(next) => onChange({ ...value, threads: threads === null ? 1 : next })}
      />
      <NumberControl
        label={`${label}: memory`}
        unit="MiB"
        none="All free memory"
        value={memoryMb}
        invalid={problemOf("idle", { ...value, threads: null }) !== null}
        onChange={(next) => onChange({ ...value, memoryMb: next })}
      />
      <GpuSwitch label={label} gpu={gpu} onChange={(on) => onChange({ ...value, gpu: on })} />
    </div>
  );
}

const modes = [
  { value: "off", label: "Nothing" },
  { value: "limited", label: "Within limits" },
];

type InUseProps = {
  readonly label: string;
  readonly value: InUseLimits;
  readonly onChange: (value: InUseLimits) => void;
};

/** Limits on threads, GPU and memory while somebody uses the computer, or no work at all. */
export function InUseControl({ label, value, onChange }: InUseProps): ReactNode {
  const { mode, threads, gpu, memoryMb } = value;
  return (
    <div className="grid gap-2">
      <SelectBox
        aria-label={label}
        value={mode}
        options={modes}
        onChange={(chosen) => onChange({ ...value, mode: chosen === "limited" ? "limited" : "off" })}
      />
      {mode === "off" ? null : (
        <>
          <NumberControl
            label={`${label}: threads`}
            unit="threads"
            value={threads}
            invalid={problemOf("inUse", { ...value, memoryMb: 0 }) !== null}
            onChange={(next) => onChange({ ...value, threads: next ?? 1 })}
          />
          <NumberControl
            label={`${label}: memory`}
            unit="MiB"
            value={memoryMb}
            invalid={problemOf("inUse", { ...value, threads: 1 }) !== null}
            onChange={(next) => onChange({ ...value, memoryMb: next ?? 0 })}
          />
          <GpuSwitch label={label} gpu={gpu} onChange={(on) => onChange({ ...value, gpu: on })} />
        </>
      )}
    </div>
  );
}

function GpuSwitch({
  label,
  gpu,
  onChange,
}: {
  readonly label: string;
  readonly gpu: boolean;
  readonly onChange: (gpu: boolean) => void;
}): ReactNode {
  return (
    <div className="flex items-center gap-2">
      <Switch label={`${label}: GPU`} checked={gpu} onChange={onChange} />
      <span className="text-muted">GPU</span>
    </div>
  );
}
