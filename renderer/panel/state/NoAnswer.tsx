import type { ReactNode } from "react";
import { Card } from "../../ui/Card.tsx";
import { Empty } from "../../ui/Empty.tsx";
import { SkeletonRows } from "../../ui/Skeleton.tsx";
import type { Answered } from "./use-answer.ts";

type Props = {
  readonly answer: Exclude<Answered<unknown>, { kind: "answered" }>;
  /** Says what cannot be shown, if the donor refuses the answer. */
  readonly title: string;
  /** The rows of the outline while the answer is loaded. */
  readonly rows?: number;
};

/** Stands in for an answer of the donor that is not there. */
export function NoAnswer({ answer, title, rows }: Props): ReactNode {
  if (answer.kind === "refused") {
    return (
      <Card>
        <Empty title={title}>{answer.message}</Empty>
      </Card>
    );
  }
  return (
    <Card flush>
      <SkeletonRows {...(rows === undefined ? {} : { rows })} />
    </Card>
  );
}
