import { componentStories } from "./component-stories.tsx";
import { consoleStories } from "./console-stories.tsx";
import { panelStories } from "./panel-stories.tsx";
import type { Story } from "./story.ts";

export function stories(now: number): readonly Story[] {
  return [...componentStories(now), ...panelStories(now), ...consoleStories(now)];
}
