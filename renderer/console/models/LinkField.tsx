import { type ReactNode, useState } from "react";
import { formatBytes } from "../../../app/format/quantity.ts";
import { shelf } from "../../../app/models/shelf.ts";
import { Button } from "../../ui/controls/Button.tsx";
import { Field } from "../../ui/controls/Field.tsx";
import { Select } from "../../ui/controls/Select.tsx";
import { factWords, type InspectionOutcome } from "./file-facts.ts";
import { FitLinks } from "./FitLinks.tsx";

type Props = {
  /** Null before the file was read. */
  readonly outcome: InspectionOutcome | null;
  readonly isReading: boolean;
  readonly onInspect: (link: string) => void;
  readonly initialLink?: string;
  /** Whether the member may see all devices, and so those that could run the model. */
  readonly seesDevices: boolean;
};

/** A link to a model's file, or one of the shelf, and the facts that the file tells. */
export function LinkField({
  outcome,
  isReading,
  onInspect,
  initialLink = "",
  seesDevices,
}: Props): ReactNode {
  const [link, setLink] = useState(initialLink);
  const read = (): void => {
    if (link.trim() !== "" && !isReading) onInspect(link);
  };
  return (
    <div className="grid gap-3">
      <Select
        label="A model that works well"
        value={shelf.some((model) => model.link === link) ? link : ""}
        options={[
          { value: "", label: "Another one" },
          ...shelf.map(({ name, link: value, memoryGb, downloadGb }) => ({
            value,
            label: `${name} (${String(downloadGb)} GB), for computers with ${String(memoryGb)} GB or more`,
          })),
        ]}
        onChange={setLink}
      />
      <Field
        label="Link to a GGUF file or its repository"
        hint="Such as https://huggingface.co/…, user/repository/file.gguf, or user/repository. The server reads the rest from the file."
        value={link}
        error={outcome?.kind === "failed" ? outcome.why : null}
        onChange={(event) => setLink(event.target.value)}
        onKeyDown={(event) => {
          if (event.key !== "Enter") return;
          // Enter must not submit the form around.
          event.preventDefault();
          read();
        }}
      />
      <div>
        <Button size="sm" disabled={link.trim() === "" || isReading} onClick={read}>
          {isReading ? "Reading…" : "Read"}
        </Button>
      </div>
      {outcome?.kind === "files" ? (
        <Select
          label="File of this repository"
          value=""
          options={[
            { value: "", label: "Choose a file" },
            ...outcome.files.map(({ link: value, file, sizeBytes }) => ({
              value,
              label: `${file} (${formatBytes(sizeBytes)})`,
            })),
          ]}
          onChange={(chosen) => {
            if (chosen === "") return;
            setLink(chosen);
            onInspect(chosen);
          }}
        />
      ) : null}
      {outcome?.kind === "failed" ? (
        <p className="text-xs text-muted">
          You can add the model without this: from your own file, or type the fields.
        </p>
      ) : null}
      {outcome?.kind === "read" ? (
        <div role="status" className="grid gap-1 text-xs">
          {factWords(outcome).map((sentence) => (
            <p key={sentence}>{sentence}</p>
          ))}
          {seesDevices ? <FitLinks {...outcome} /> : null}
        </div>
      ) : null}
    </div>
  );
}
