import type { ReactNode } from "react";
import { formatMoment } from "../../../app/format/time.ts";
import { type QuotaPeriod, quotaUnits } from "../../../app/keys/quotas.ts";
import { type KeyScope, keyScopes, scopeWords } from "../../../app/keys/scopes.ts";
import { useNow } from "../../ui/clock.ts";
import { Checkbox } from "../../ui/controls/Checkbox.tsx";
import { Field } from "../../ui/controls/Field.tsx";
import { type Option, Select } from "../../ui/controls/Select.tsx";
import { TextArea } from "../../ui/controls/TextArea.tsx";
import {
  type AccessField,
  expiries,
  type Expiry,
  type ParsedAccess,
  type TypedAccess,
} from "./parse-access.ts";
import { quotaLabels } from "./quota-words.ts";

type Props = {
  readonly typed: TypedAccess;
  readonly parsed: ParsedAccess;
  /** The names of the organization's models. */
  readonly models: readonly string[];
  /** The present end of the key; null: it has none. */
  readonly expiresAt: number | null;
  readonly onChange: (typed: TypedAccess) => void;
};

/** The fields of a key's access. */
export function AccessFields(props: Props): ReactNode {
  const { typed, parsed, onChange } = props;
  const errorOf = (field: AccessField): string | null =>
    parsed.kind === "wrong" && parsed.field === field ? parsed.why : null;
  return (
    <>
      <ExpiryField {...props} error={errorOf("date")} />
      <Choices title="Kinds of calls" error={errorOf("scopes")}>
        {keyScopes.map((scope) => (
          <Checkbox
            key={scope}
            label={scopeWords[scope].name}
            hint={scopeWords[scope].calls}
            checked={typed.scopes.includes(scope)}
            onChange={(checked) => onChange({ ...typed, scopes: withScope(typed.scopes, scope, checked) })}
          />
        ))}
      </Choices>
      <ModelFields {...props} error={errorOf("models")} />
      <QuotaFields {...props} title="Quota of a day (UTC)" period="day" errorOf={errorOf} />
      <QuotaFields {...props} title="Quota of a month (UTC)" period="month" errorOf={errorOf} />
      <TextArea
        label="Addresses"
        hint="One address or network on each line, such as 192.0.2.7, 10.0.0.0/8 or 2001:db8::/32. Calls from elsewhere are refused. Leave empty for any."
        rows={2}
        code
        value={typed.addresses}
        error={errorOf("addresses")}
        onChange={(event) => onChange({ ...typed, addresses: event.target.value })}
      />
    </>
  );
}

function withScope(scopes: readonly KeyScope[], scope: KeyScope, checked: boolean): readonly KeyScope[] {
  return keyScopes.filter((each) => (each === scope ? checked : scopes.includes(each)));
}

type GroupProps = { readonly title: string; readonly error: string | null; readonly children: ReactNode };

/** Several fields that belong together. */
function Choices({ title, error, children }: GroupProps): ReactNode {
  return (
    <fieldset className="grid gap-1.5">
      <legend className="mb-1 font-medium">{title}</legend>
      {children}
      {error === null ? null : (
        <p role="alert" className="text-xs text-bad">
          {error}
        </p>
      )}
    </fieldset>
  );
}

const expiryLabels: Readonly<Record<Exclude<Expiry, "kept">, string>> = {
  never: "Never",
  "30": "In 30 days",
  "90": "In 90 days",
  "365": "In a year",
  date: "At the end of a day",
};

type ErrorProps = Props & { readonly error: string | null };

function ExpiryField({ typed, expiresAt, error, onChange }: ErrorProps): ReactNode {
  const now = useNow();
  const options = expiries.flatMap((value): readonly Option[] => {
    if (value !== "kept") return [{ value, label: expiryLabels[value] }];
    return expiresAt === null ? [] : [{ value, label: `${formatMoment(expiresAt, now)}, as now` }];
  });
  return (
    <>
      <Select
        label="Expires"
        hint="From then on its calls are refused, and its jobs and batches are canceled. You can set a later end at any time."
        value={typed.expiry}
        options={options}
        onChange={(value) =>
          onChange({ ...typed, expiry: expiries.find((each) => each === value) ?? "never" })
        }
      />
      {typed.expiry === "date" ? (
        <Field
          label="Last day"
          type="date"
          value={typed.date}
          error={error}
          onChange={(event) => onChange({ ...typed, date: event.target.value })}
        />
      ) : null}
    </>
  );
}

function ModelFields({ typed, models, error, onChange }: ErrorProps): ReactNode {
  // A model of the key may have left the catalog.
  const names = [...new Set([...models, ...typed.models])];
  return (
    <>
      <Select
        label="Models"
        hint="An alias counts as the model for which it stands."
        value={typed.onlyModels ? "some" : "all"}
        options={[
          { value: "all", label: "All, also those that are added later" },
          { value: "some", label: "Only some" },
        ]}
        onChange={(value) => onChange({ ...typed, onlyModels: value === "some" })}
      />
      {typed.onlyModels ? (
        <Choices title="Only these models" error={error}>
          {names.map((name) => (
            <Checkbox
              key={name}
              label={name}
              checked={typed.models.includes(name)}
              onChange={(checked) =>
                onChange({
                  ...typed,
                  models: names.filter((each) => (each === name ? checked : typed.models.includes(each))),
                })
              }
            />
          ))}
        </Choices>
      ) : null}
    </>
  );
}

type QuotaProps = Props & {
  readonly title: string;
  readonly period: QuotaPeriod;
  readonly errorOf: (field: AccessField) => string | null;
};

function QuotaFields({ typed, title, period, errorOf, onChange }: QuotaProps): ReactNode {
  const quota = typed.quotas[period];
  return (
    <Choices title={title} error={null}>
      <div className="grid gap-2 sm:grid-cols-3">
        {quotaUnits.map((unit) => (
          <Field
            key={unit}
            label={quotaLabels[unit]}
            inputMode={unit === "micro" ? "decimal" : "numeric"}
            placeholder="no limit"
            value={quota[unit]}
            error={errorOf(`${period} ${unit}`)}
            onChange={(event) =>
              onChange({
                ...typed,
                quotas: { ...typed.quotas, [period]: { ...quota, [unit]: event.target.value } },
              })
            }
          />
        ))}
      </div>
    </Choices>
  );
}
