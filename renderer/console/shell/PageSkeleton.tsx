import type { ReactNode } from "react";
import { Card } from "../../ui/Card.tsx";
import { SkeletonRows } from "../../ui/Skeleton.tsx";

/** Holds a page's place until its code and its first rows are there. */
export function PageSkeleton(): ReactNode {
  return (
    <Card flush>
      <SkeletonRows rows={8} />
    </Card>
  );
}
